// What follows from a message: who is stopped, suppressed or marked, and which events tell of it.
import { stopLeads } from '#resources/campaigns/index.ts';
import { markBlacklisted, markBounced } from '#resources/contacts/index.ts';
import { wakePlanner } from '#resources/enrollments/index.ts';
import { type EventType, record } from '#resources/events/index.ts';
import { type Message, presentMessage } from '#resources/messages/index.ts';
import { suppress } from '#resources/suppressions/index.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Candidate, Meaning } from './match.ts';

/** Carry out a message's meaning, inside the transaction that stores it. */
export async function apply(ctx: Ctx, row: Message, { classification, send, effect }: Meaning): Promise<void> {
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
  if (effect === 'replied') await stop(ctx, send, 'replied');
  if (effect === 'bounced_hard') await removeAddress(ctx, send, 'hard_bounce');
  if (effect === 'complained') await removeAddress(ctx, send, 'manual');
}

async function stop(ctx: Ctx, { enrollment_id: id, campaign_id: campaignId }: Candidate, as: 'replied' | 'bounced' | 'unsubscribed'): Promise<void> {
  if (id !== null && campaignId !== null) await stopLeads(ctx, [{ id, campaign_id: campaignId }], as);
}

/** The address takes no mail, or its owner wants none: mark the contact, end its enrollment, put it on the list. */
async function removeAddress(ctx: Ctx, send: Candidate, reason: 'hard_bounce' | 'manual'): Promise<void> {
  // Campaigns are locked before contacts, contacts before enrollments: so wake the planner first.
  if (send.campaign_id !== null) await wakePlanner(ctx, [send.campaign_id], ctx.now);
  const contactIds = send.contact_id === null ? [] : [send.contact_id];
  if (reason === 'hard_bounce') await markBounced(ctx, contactIds);
  else await markBlacklisted(ctx, contactIds);
  await stop(ctx, send, reason === 'hard_bounce' ? 'bounced' : 'unsubscribed');
  await suppress(ctx, { email: send.to_email_key, reason, sourceSendId: send.id });
}
