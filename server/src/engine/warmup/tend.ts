// What the recipient of a warm-up mail does with it: takes it out of Junk, reads it, marks it, answers it.
import { MailboxError, type MailboxSession } from '#mail/mail.ts';
import { inTransaction, isConnectionLost, rowsOf } from '#store/db.ts';
import { type Inbox, serverOf } from '#resources/inboxes/index.ts';
import { type WarmupMail, answersAt, count, dayName, marksOf, plan } from '#resources/warmup/index.ts';
import type { World } from '#world/ctx.ts';
import type { CrashHook } from '../crash.ts';
import { TENDED_WHEN } from './rules.ts';

const LEASE_MS = 120_000;
const MAILS_A_STEP = 50;
const MINUTE = 60_000;
const MAX_FAILURES = 5;
const INBOX = { path: 'INBOX' };

/** Take up mails whose recipient looks at them now, by recipient; none of `busy`. */
export async function claimToTend(world: World, holder: string, busy: readonly string[]): Promise<Map<string, WarmupMail[]>> {
  const wall = world.clock.wall();
  const mails = await rowsOf<WarmupMail>(
    world.db,
    `with due as (
       select workspace_id, id from warmup_mails
        where tend_at <= $1 and (tend_leased_until is null or tend_leased_until <= $2) and to_inbox_id <> all($6::text[])
        order by tend_at, id limit $5 for no key update skip locked
     )
     update warmup_mails m set tend_holder = $3, tend_leased_until = $4 from due
      where m.workspace_id = due.workspace_id and m.id = due.id returning m.*`,
    [world.clock.now(), wall, holder, new Date(wall.getTime() + LEASE_MS), MAILS_A_STEP, busy],
  );
  return Map.groupBy(mails, (mail) => mail.to_inbox_id);
}

/** Look at the mails of one mailbox, over one connection. */
export async function tendMailbox(world: World, mails: readonly WarmupMail[], crash: CrashHook): Promise<void> {
  const [{ to_workspace_id: workspaceId, to_inbox_id: id }] = mails as [WarmupMail];
  const [inbox] = await rowsOf<Inbox>(world.db, 'select * from inboxes where workspace_id = $1 and id = $2', [workspaceId, id]);
  const server = inbox && TENDED_WHEN.includes(inbox.status) && inbox.warmup_enabled ? serverOf(world, inbox, 'imap') : null;
  if (!inbox || !server) {
    for (const mail of mails) await lookLater(world, mail);
    return;
  }
  let mailbox: MailboxSession | undefined;
  for (const [i, mail] of mails.entries()) {
    try {
      mailbox ??= await world.mail.openMailbox(server);
      await tendOne(world, { mail, inbox, mailbox }, crash);
    } catch (error) {
      if (isConnectionLost(error)) throw error;
      if (!(error instanceof MailboxError)) world.log.error({ mail: mail.id, err: error }, 'a warm-up mail could not be tended');
      if (!mailbox) {
        // It cannot be opened: to try again for each of its mails would outlast their leases.
        for (const left of mails.slice(i)) await lookLater(world, left);
        return;
      }
      await mailbox.close();
      mailbox = undefined;
      await lookLater(world, mail);
    }
  }
  await mailbox?.close();
}

type Tended = { mail: WarmupMail; inbox: Inbox; mailbox: MailboxSession };

async function tendOne(world: World, { mail, inbox, mailbox }: Tended, crash: CrashHook): Promise<void> {
  const inJunk = mail.received_in === 'junk';
  const marks = marksOf(mail.id);
  const flags = [...(marks.isSeen || inJunk ? (['\\Seen'] as const) : []), ...(marks.isFlagged ? (['\\Flagged'] as const) : [])];
  const folder = { path: mail.folder! };
  const at = { uidValidity: mail.uid_validity!, uid: mail.uid! };
  if (flags.length > 0) await mailbox.addFlags(folder, at, flags);
  const rescued = inJunk && ((await mailbox.move(folder, at, INBOX)) || (await isInInbox(mailbox, mail)));
  if (inJunk) await crash('CP17 put back');
  await noteTended(world, { mail, inbox }, rescued);
}

/** Not where it was: somebody has taken it out of Junk, perhaps we, before a crash. */
const isInInbox = async (mailbox: MailboxSession, { received_message_id: id }: WarmupMail): Promise<boolean> =>
  id !== null && (await mailbox.findByMessageId(INBOX, id)) !== null;

/** Write that a mail was tended, once, with what it is counted as and the answer that it gets. */
function noteTended(world: World, { mail, inbox }: Pick<Tended, 'mail' | 'inbox'>, rescued: boolean): Promise<void> {
  return inTransaction(world, async (inside) => {
    const now = inside.clock.now();
    const [row] = await rowsOf<WarmupMail>(
      inside.db,
      `update warmup_mails set tended_at = $3, tend_at = null, tend_leased_until = null, rescued_at = case when $4 then $3::timestamptz end
        where workspace_id = $1 and id = $2 and tended_at is null and tend_at is not null returning *`,
      [mail.workspace_id, mail.id, now, rescued],
    );
    if (!row) return;
    if (rescued) await count(inside, [{ workspaceId: row.workspace_id, inboxId: row.inbox_id, day: row.day, what: 'rescued' }]);
    // Nobody answers what still lies in Junk.
    const at = rescued || row.received_in === 'inbox' ? answersAt(row, now, inbox.timezone) : null;
    if (at === null) return;
    const cited = row.received_message_id ?? row.rfc822_message_id;
    await plan(inside, [
      {
        workspace_id: inbox.workspace_id, inbox_id: inbox.id, to_workspace_id: row.workspace_id, to_inbox_id: row.inbox_id,
        day: dayName(at, inbox.timezone), scheduled_at: at, senderAddress: inbox.email_address,
        answers: { thread_id: row.thread_id, place: row.place + 1, references: [...row.thread_references, cited] },
      },
    ]); // prettier-ignore
  });
}

/** Each time later, and after the fifth time never. */
async function lookLater({ db, clock }: World, { workspace_id, id, tend_failures }: WarmupMail): Promise<void> {
  const at = tend_failures + 1 >= MAX_FAILURES ? null : new Date(clock.now().getTime() + 15 * MINUTE * 2 ** tend_failures);
  await rowsOf(
    db,
    `update warmup_mails set tend_at = $3, tend_failures = tend_failures + 1, tend_leased_until = null
      where workspace_id = $1 and id = $2 and tended_at is null`,
    [workspace_id, id, at],
  );
}
