// What became of warm-up mails, and what a crash left of them.
import { inTransaction, rowsOf } from '#store/db.ts';
import { byIds, noteNoConnection } from '#resources/inboxes/index.ts';
import { type Tally, type WarmupMail, count } from '#resources/warmup/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import { putOff } from './claim.ts';
import { MAX_LATENESS_MS, triesAgainAt } from './rules.ts';
import type { Outcome } from './send.ts';

/** Write an outcome. A mail whose dot was released is never tried again, whatever came of it. */
export async function finish(world: World, mail: WarmupMail, outcome: Outcome): Promise<void> {
  if (outcome.kind === 'accepted') return accepted(world, mail);
  if (outcome.kind === 'unknown') return end(world, mail, 'unknown', 'The server did not answer after the message was handed over.');
  if (outcome.kind === 'unwritten') return end(world, mail, 'failed', outcome.detail);
  const detail = outcome.kind === 'broken' ? outcome.detail : `${outcome.reply.code} ${outcome.reply.text}`.slice(0, 500);
  if (isRefusedLogin(outcome)) await noteRefusedLogin(world, mail, detail);
  const again =
    outcome.phase === 'dot' || (outcome.kind === 'refused' && outcome.permanent && !isRefusedLogin(outcome))
      ? null
      : triesAgainAt(mail.attempt_count, world.clock.now());
  if (again === null) return end(world, mail, 'failed', detail);
  await putOff(world, mail, { kind: 'wait', until: again });
}

const isRefusedLogin = (outcome: Outcome) => outcome.kind === 'refused' && outcome.phase === 'auth' && outcome.permanent;

/** A login that is refused is the inbox's trouble, not the mail's: as with its own mail, three in a row fail the inbox. */
function noteRefusedLogin(world: World, { workspace_id, inbox_id, mode }: WarmupMail, detail: string): Promise<void> {
  return inTransaction(actingFor(world, workspace_id, mode), async (ctx) => {
    const [inbox] = await byIds(ctx, [inbox_id]);
    if (inbox) await noteNoConnection(ctx, inbox, { retryAt: triesAgainAt(1, ctx.now)!, detail, refusedLogin: true });
  });
}

/** Its recipient may have it by now, whatever the server said or did not say: then it was sent. */
function end(world: World, { workspace_id, id, fence }: WarmupMail, state: 'unknown' | 'failed', because: string): Promise<void> {
  return inTransaction(world, async (inside) => {
    const ended = await rowsOf<WarmupMail>(
      inside.db,
      `update warmup_mails set due_at = null, leased_until = null,
              state = case when received_at is not null then 'sent' else $4 end,
              because = case when received_at is not null then null else $5 end,
              sent_at = case when received_at is not null then dot_released_at else sent_at end
        where workspace_id = $1 and id = $2 and fence = $3 and state = 'sending' returning *`,
      [workspace_id, id, fence, state, because],
    );
    await tell(inside, ended.filter((row) => row.state === 'sent')); // prettier-ignore
  });
}

/** `unknown` too: the answer was slow, and meanwhile the mail was taken for abandoned. */
function accepted(world: World, { workspace_id, id, fence }: WarmupMail): Promise<void> {
  return inTransaction(world, async (inside) => {
    const sent = await rowsOf<WarmupMail>(
      inside.db,
      `update warmup_mails set state = 'sent', because = null, sent_at = $4, leased_until = null
        where workspace_id = $1 and id = $2 and fence = $3 and state in ('sending', 'unknown') returning *`,
      [workspace_id, id, fence, inside.clock.now()],
    );
    await tell(inside, sent);
  });
}

/** Count mails that were sent, and what they answer as answered. */
async function tell(world: World, sent: readonly WarmupMail[]): Promise<void> {
  if (sent.length === 0) return;
  const tallyOf = (row: Pick<WarmupMail, 'workspace_id' | 'inbox_id' | 'day'>, what: Tally['what']): Tally => ({
    workspaceId: row.workspace_id,
    inboxId: row.inbox_id,
    day: row.day,
    what,
  });
  const answered = await rowsOf<WarmupMail>(
    world.db,
    `select m.workspace_id, m.inbox_id, m.day
       from unnest($1::text[], $2::text[], $3::text[], $4::int[]) as t (workspace_id, inbox_id, thread_id, place)
       join warmup_mails m on m.workspace_id = t.workspace_id and m.inbox_id = t.inbox_id and m.thread_id = t.thread_id and m.place = t.place`,
    [sent.map((row) => row.to_workspace_id), sent.map((row) => row.to_inbox_id), sent.map((row) => row.thread_id), sent.map((row) => row.place - 1)],
  );
  await count(world, [...sent.map((row) => tallyOf(row, 'sent')), ...answered.map((row) => tallyOf(row, 'answered'))]);
}

/**
 * Mails in hand of a worker that has gone silent. Without a release nothing left: they are planned again. With one they are never sent again: sent
 * where their recipient has them, else unknown, until they are met. What somebody holds at this moment is passed by, for the next sweep.
 */
export function sweep(world: World): Promise<void> {
  return inTransaction(world, async (inside) => {
    const now = inside.clock.now();
    const left = await rowsOf<WarmupMail>(
      inside.db,
      `with mine as (
         select workspace_id, id from warmup_mails where state = 'sending' and leased_until < $1 order by workspace_id, id
           for no key update skip locked)
       update warmup_mails m set leased_until = null,
              state = case when dot_released_at is null then 'planned' when received_at is not null then 'sent' else 'unknown' end,
              due_at = case when dot_released_at is null then $2 else due_at end,
              sent_at = case when received_at is not null then dot_released_at else sent_at end,
              because = case when dot_released_at is not null and received_at is null then 'Its worker was lost after the release.' else because end
         from mine where m.workspace_id = mine.workspace_id and m.id = mine.id returning m.*`,
      [inside.clock.wall(), now],
    );
    await tell(
      inside,
      left.filter((row) => row.state === 'sent'),
    );
    await rowsOf(
      inside.db,
      `with late as (
         select workspace_id, id from warmup_mails
          where state = 'planned' and due_at <= $1 and scheduled_at < case when place = 0 then $2::timestamptz else $3::timestamptz end
          order by workspace_id, id for no key update skip locked)
       update warmup_mails m set state = 'canceled', because = 'It could not leave in time.', due_at = null
         from late where m.workspace_id = late.workspace_id and m.id = late.id`,
      [now, new Date(now.getTime() - MAX_LATENESS_MS.opening), new Date(now.getTime() - MAX_LATENESS_MS.answer)],
    );
  });
}
