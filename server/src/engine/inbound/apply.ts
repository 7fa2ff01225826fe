// What follows from a message: who is stopped, suppressed or marked, and which events tell of it.
import { rowsOf } from '#store/db.ts';
import { countBounces, lockForBounces, stopLeads } from '#resources/campaigns/index.ts';
import { contactsByEmail, markBlacklisted, markBounced } from '#resources/contacts/index.ts';
import { type Enrollment, wakePlanner } from '#resources/enrollments/index.ts';
import { type EventType, record } from '#resources/events/index.ts';
import { noteTroubles } from '#resources/inboxes/index.ts';
import { type Message, presentMessage } from '#resources/messages/index.ts';
import { suppress } from '#resources/suppressions/index.ts';
import { unsubscribe } from '#resources/unsubscribes/index.ts';
import { markAll } from '#resources/variant-races/index.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Candidate, Meaning } from './match.ts';

/** Carry out a message's meaning, inside the transaction that stores it. */
export async function apply(ctx: Ctx, row: Message, { classification, send, effect, copies = [] }: Meaning): Promise<void> {
  const data = presentMessage(row);
  const metadata = (send?.metadata ?? null) as object | null;
  const tell = (type: EventType, more: object = {}) => record(ctx, { type, resourceId: row.id, data: { ...data, ...more }, metadata });
  tell('message.received');
  const facts = { message_id: row.id, send_id: send?.id ?? null, inbox_id: row.inbox_id, from_email: row.from_email, subject: row.subject };
  if (classification === 'reply') tell('message.replied', facts);
  if (classification === 'auto_reply') tell('message.autoresponse', facts);
  if (classification === 'bounce') {
    tell('message.bounced', {
      ...facts,
      bounce_type: row.bounce_type,
      bounce_status: row.bounce_status_code,
      bounce_diagnostic: row.bounce_diagnostic,
    });
  }
  if (!send) return;
  if (effect === 'opted_out') await unsubscribe(ctx, send, { hasReplied: true });
  if (effect === 'replied') {
    await stop(ctx, send, 'replied');
    await markAll(ctx, [{ workspace_id: ctx.workspaceId, send_id: send.id, kind: 'replied', nth: 0 }]);
  }
  if (effect === 'bounced_hard') await removeAddress(ctx, send, 'hard_bounce');
  if (effect === 'copy_bounced_hard') await removeCopied(ctx, copies, send);
  if (effect === 'complained') await removeAddress(ctx, send, 'manual');
  const trouble = effect === 'bounced_hard' ? 'hard_bounces' : effect === 'complained' ? 'complaints' : null;
  if (trouble && (await isFirstReport(ctx, row, send))) await noteTroubles(ctx, [{ inboxId: send.inbox_id, kind: trouble }]);
}

/** Several servers may report one bounce, and a complaint may come in copies: the inbox had one trouble. */
async function isFirstReport(ctx: Ctx, { classification, verdict_rule: rule }: Message, { id }: Candidate): Promise<boolean> {
  const reports = await rowsOf(
    ctx.db,
    `select 1 from messages
      where workspace_id = $1 and matched_send_id = $2 and matched_send_id > '' and classification = $3
        and case when $3 = 'bounce' then bounce_type = 'hard' else verdict_rule = $4 end limit 2`,
    [ctx.workspaceId, id, classification, rule],
  );
  return reports.length === 1;
}

type Ending = 'replied' | 'bounced' | 'unsubscribed';

async function stop(ctx: Ctx, { enrollment_id: id, campaign_id: campaignId }: Candidate, as: Ending): Promise<Enrollment[]> {
  return id === null || campaignId === null ? [] : stopLeads(ctx, [{ id, campaign_id: campaignId }], as);
}

/** The address takes no mail, or its owner wants none: mark the contact, end its enrollment, put it on the list. */
async function removeAddress(ctx: Ctx, send: Candidate, reason: 'hard_bounce' | 'manual'): Promise<void> {
  // Campaigns are locked before contacts, contacts before enrollments: so wake the planner first.
  if (send.campaign_id !== null) {
    if (reason === 'hard_bounce') await lockForBounces(ctx, [send.campaign_id]);
    await wakePlanner(ctx, [send.campaign_id], ctx.now);
  }
  const contactIds = send.contact_id === null ? [] : [send.contact_id];
  if (reason === 'hard_bounce') await markBounced(ctx, contactIds);
  else await markBlacklisted(ctx, contactIds);
  const ended = await stop(ctx, send, reason === 'hard_bounce' ? 'bounced' : 'unsubscribed');
  if (reason === 'hard_bounce' && ended.length > 0) await countBounces(ctx, [send]);
  await suppress(ctx, { email: send.to_email_key, reason, sourceSendId: send.id });
}

/** Addresses on copies of a send take no mail: marked and suppressed like any other, and the send's own person goes on. */
async function removeCopied(ctx: Ctx, keys: readonly string[], send: Candidate): Promise<void> {
  await markBounced(ctx, [...(await contactsByEmail(ctx, keys)).values()].map((one) => one.id)); // prettier-ignore
  for (const email of keys) await suppress(ctx, { email, reason: 'hard_bounce', sourceSendId: send.id });
}
