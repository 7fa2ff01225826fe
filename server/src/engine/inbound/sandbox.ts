// The recipients of sandbox inboxes: what was drawn when a mail was sent comes in when it is due, by the same way as what a mailbox holds.
import { inTransaction, isConnectionLost, rowsOf } from '#store/db.ts';
import { contactsByEmail, setLeadStatus } from '#resources/contacts/index.ts';
import { record } from '#resources/events/index.ts';
import { keepLooks } from '#resources/hits/index.ts';
import { type Inbox, byIds } from '#resources/inboxes/index.ts';
import { type Message, presentMessage } from '#resources/messages/index.ts';
import { type SandboxReaction, dueReactions, endReactions } from '#resources/sandbox-reactions/index.ts';
import { type Send, byIds as sendsByIds } from '#resources/sends/index.ts';
import { unsubscribe } from '#resources/unsubscribes/index.ts';
import { type Ctx, type World, actingFor } from '#world/ctx.ts';
import type { Loop } from '../loop.ts';
import { absenceOf, bounceOf, complaintOf, replyTo } from './sandbox-letters.ts';
import { takeIn } from './take-in.ts';

const A_STEP = 500;

/** One step lets happen what is due by the world's clock, wherever no test clock drives. */
export const sandboxLoop = (world: World): Loop => ({ name: 'sandbox', idleMs: 500, step: async () => (await reactDue(world, null)) > 0 });

/** Let happen what is due: in one workspace, or wherever no test clock drives. Answers how many reactions were carried out. */
export async function reactDue(world: World, workspaceId: string | null): Promise<number> {
  const due = await dueReactions(world, workspaceId, A_STEP);
  for (const [id, those] of Map.groupBy(due, (one) => one.workspace_id)) await reactAll(actingFor(world, id, 'test'), those);
  return due.length;
}

/** Reading and clicking changes nothing but the log, so that as many as come one after the other share a commit. */
async function reactAll(ctx: Ctx, due: readonly SandboxReaction[]): Promise<void> {
  const sends = new Map((await sendsByIds(ctx, [...new Set(due.map((one) => one.send_id))])).map((send) => [send.id, send]));
  const inboxes = new Map((await byIds(ctx, [...new Set([...sends.values()].map((send) => send.inbox_id))])).map((one) => [one.id, one]));
  let looks: SandboxReaction[] = [];
  const look = async () => {
    const those = looks;
    looks = [];
    if (those.length) await alone(ctx, those, (inside, mine) => tellLooks(inside, mine));
  };
  for (const one of due) {
    if (one.kind === 'open' || one.kind === 'click') {
      looks.push(one);
      continue;
    }
    await look();
    const send = sends.get(one.send_id);
    const inbox = send && inboxes.get(send.inbox_id);
    await alone(ctx, [one], async (inside) => {
      if (send && inbox) await carryOut(inside, one.kind as Heard, send, inbox);
    });
  }
  await look();
}

type Work = (ctx: Ctx, mine: readonly Pick<SandboxReaction, 'send_id' | 'kind'>[]) => Promise<void>;

/** In one transaction with its being done. What cannot be carried out is set aside with the reason, so that what comes after it does. */
async function alone(ctx: Ctx, those: readonly SandboxReaction[], work: Work): Promise<void> {
  try {
    await inTransaction(ctx, async (inside) => {
      const mine = new Set((await endReactions(inside, those)).map((one) => `${one.send_id} ${one.kind}`));
      const taken = those.filter((one) => mine.has(`${one.send_id} ${one.kind}`));
      if (taken.length) await work(inside, taken);
    });
  } catch (error) {
    if (isConnectionLost(error)) throw error;
    ctx.log.error({ sends: those.map((one) => one.send_id), err: error }, 'a sandbox reaction could not be carried out');
    await endReactions(ctx, those, (error as Error).message.slice(0, 500));
  }
}

type Heard = Exclude<SandboxReaction['kind'], 'open' | 'click'>;

const WORDS = {
  reply: 'Thanks for your message. I have read it and will come back to you.',
  reply_interested: 'That sounds interesting. Could you send me some times for a call?',
};

async function carryOut(ctx: Ctx, kind: Heard, send: Send, inbox: Inbox): Promise<void> {
  const written = { send, sender: inbox.email_address, date: ctx.now, domain: ctx.config.SANDBOX_DOMAIN };
  const comes = (source: Buffer) =>
    takeIn(
      ctx,
      {
        inbox,
        folder: { role: 'inbox', path: 'INBOX' },
        stored: { uid: 0, source, truncated: false, internalDate: ctx.now, flags: [] },
        uidValidity: 'sandbox',
      },
      { movesCursor: false },
    );
  if (kind === 'unsubscribe') return unsubscribe(ctx, send);
  if (kind === 'bounce' || kind === 'soft_bounce') return comes(bounceOf(written, kind === 'bounce' ? 'hard' : 'soft'));
  if (kind === 'auto_reply') return comes(absenceOf(written));
  if (kind === 'complaint') return comes(complaintOf(written));
  await comes(replyTo(written, WORDS[kind]));
  if (kind === 'reply_interested') await callInterested(ctx, send);
}

/** `reply+interested` saves a test the click by which a person sorts an answer. */
async function callInterested(ctx: Ctx, send: Send): Promise<void> {
  const contact = (await contactsByEmail(ctx, [send.to_email_key])).get(send.to_email_key);
  if (contact) await setLeadStatus(ctx, contact.id, 'interested', send.campaign_id);
}

type Opened = Message & { send_id: string; metadata: object | null } & Record<'body_html' | 'body_text' | 'target', string | null>;

async function tellLooks(ctx: Ctx, looks: readonly Pick<SandboxReaction, 'send_id' | 'kind'>[]): Promise<void> {
  const rows = await rowsOf<Opened>(
    ctx.db,
    // One by one along the unique keys: left to itself the planner now and then reads all messages of the inboxes instead.
    `select m.*, s.id as send_id, s.metadata, c.body_html, c.body_text, l.urls[1] as target
       from sends s
       cross join lateral (select * from messages
                            where workspace_id = $1 and inbox_id = s.inbox_id and identity = s.rfc822_message_id limit 1) m
       cross join lateral (select body_html, body_text from send_contents where workspace_id = $1 and send_id = s.id limit 1) c
       left join lateral (select urls from tracked_links where workspace_id = $1 and send_id = s.id limit 1) l on true
      where s.workspace_id = $1 and s.id = any($2)`,
    [ctx.workspaceId, [...new Set(looks.map((one) => one.send_id))]],
  );
  const messages = new Map(rows.map((row) => [row.send_id, row]));
  const seen = looks.flatMap(({ send_id: sendId, kind }) => {
    const row = messages.get(sendId);
    if (!row || (kind !== 'open' && kind !== 'click')) return [];
    return [{ sendId, kind, row, url: kind === 'open' ? null : (row.target ?? linkIn(row, ctx.config.SANDBOX_DOMAIN)) }];
  });
  const kept = new Map((await keepLooks(ctx, seen)).map((one) => [`${one.send_id} ${one.kind}`, one]));
  for (const { sendId, kind, row, url } of seen) {
    const { made_by: madeBy, because, is_first: isFirst } = kept.get(`${sendId} ${kind}`)!;
    const data = { ...presentMessage(row), send_id: sendId, kind: madeBy, because, is_first: isFirst, ...(url !== null && { url }) };
    record(ctx, { type: kind === 'open' ? 'message.opened' : 'message.clicked', resourceId: row.id, metadata: row.metadata, data });
  }
}

/** The first link of a mail that follows none; one without any is clicked all the same, since its sender asked for clicks. */
function linkIn({ body_html, body_text }: Pick<Opened, 'body_html' | 'body_text'>, domain: string): string {
  const found = /https?:\/\/[^\s"'<>]{1,2000}/i.exec(`${/href\s*=\s*["']?(https?:[^\s"'<>]+)/i.exec(body_html ?? '')?.[1] ?? ''} ${body_text ?? ''}`);
  return found?.[0] ?? `https://${domain}/`;
}
