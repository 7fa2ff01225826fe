// The pure rules of sending: what may leave, what a failure means, when to try again.
import type { Broken, Refused, SmtpReply } from '#mail/mail.ts';
import { drawFor } from '#platform/random.ts';
import { isOpen } from '#resources/campaigns/index.ts';
import { type Inbox, capLeft, dayAt } from '#resources/inboxes/index.ts';
import type { Send } from '#resources/sends/index.ts';

/** Everything that is looked at, under locks, before a dot is released. Absent rows were deleted. */
export type ReleaseFacts = {
  send: Pick<Send, 'state' | 'fence' | 'created_at' | 'is_reply' | 'campaign_id' | 'contact_id' | 'enrollment_id'> & {
    dot_released_at: string | Date | null;
  };
  fence: number;
  inbox: Pick<Inbox, 'status' | 'next_send_at'> & Parameters<typeof capLeft>[0];
  campaign: { status: string; schedule: Parameters<typeof isOpen>[0]; edited_at: string | Date | null } | undefined;
  contact: { global_status: string } | undefined;
  enrollment: { status: string } | undefined;
  suppressed: boolean;
};

/**
 * `lost`: the row is no longer ours, leave it alone. `cancel`: it must never leave. `fail`: the same, with a reason. `wait`: not now;
 * `until` null means until somebody resumes it.
 */
export type Denial =
  | { kind: 'lost' }
  | { kind: 'cancel'; gate: string }
  | { kind: 'fail'; gate: string; reason: NonNullable<Send['failure_reason']> }
  | { kind: 'wait'; gate: string; until: Date | null };

/** The gates before the dot, in order. Null means: it may leave. */
export function denialOf(facts: ReleaseFacts, now: Date, nextOpening: (schedule: Parameters<typeof isOpen>[0], from: Date) => Date): Denial | null {
  const { send, fence, inbox, campaign, contact, enrollment, suppressed } = facts;
  if (send.state !== 'sending' || send.fence !== fence || send.dot_released_at !== null) return { kind: 'lost' };
  if (suppressed) return { kind: 'fail', gate: 'suppression', reason: 'suppressed' };
  if (contact && contact.global_status !== 'ok') return { kind: 'fail', gate: `contact ${contact.global_status}`, reason: 'suppressed' };
  if (send.campaign_id !== null) {
    if (!campaign) return { kind: 'cancel', gate: 'campaign deleted' };
    if (!contact) return { kind: 'cancel', gate: 'contact deleted' };
    if (enrollment?.status !== 'active') return { kind: 'cancel', gate: `enrollment ${enrollment?.status ?? 'deleted'}` };
    if (campaign.edited_at !== null && send.created_at <= new Date(campaign.edited_at)) return { kind: 'cancel', gate: 'campaign edited' };
    if (campaign.status !== 'running') return { kind: 'wait', gate: `campaign ${campaign.status}`, until: null };
    if (!isOpen(campaign.schedule, now)) return { kind: 'wait', gate: 'outside schedule', until: nextOpening(campaign.schedule, now) };
  }
  if (inbox.status === 'revoked') return { kind: 'fail', gate: 'inbox revoked', reason: 'inbox_disconnected' };
  if (inbox.status !== 'active' && inbox.status !== 'over_quota_today') {
    return { kind: 'wait', gate: `inbox ${inbox.status}`, until: new Date(now.getTime() + HOLD_MS) };
  }
  // A reply counts towards the day but is never held back by its cap.
  if (!send.is_reply && capLeft(inbox, now) <= 0) return { kind: 'wait', gate: 'daily cap', until: dayAt(inbox, now).day_resets_at };
  // A lane waits for the gap before it takes anything up. Who was halted with a mail in hand, and taken over from, knows nothing of those since.
  if (inbox.next_send_at > now) return { kind: 'wait', gate: 'gap', until: inbox.next_send_at };
  return null;
}

const MINUTE = 60_000;
/** How often a send of an inbox that cannot send is looked at again. */
export const HOLD_MS = 5 * MINUTE;
/** When the reconciler looks for evidence about a released dot without an answer. */
export const RECONCILE_AFTER_MS = 10 * MINUTE;

const BACK_OFF_MINUTES = [1, 3, 10, 30, 60, 120, 240];

/** The wait before attempt `attempt + 1`: growing, with up to a fifth of jitter that belongs to this very attempt. */
export function backOffMs(id: string, attempt: number): number {
  const minutes = BACK_OFF_MINUTES[Math.min(attempt, BACK_OFF_MINUTES.length) - 1] ?? 1;
  return Math.round(minutes * MINUTE * (1 + drawFor('back-off', id, attempt) / 5));
}

export type Failure = { reason: NonNullable<Send['failure_reason']>; detail: string; permanent: boolean };

/** What a failure before acceptance means for the send. A refused login is the inbox's trouble, never the send's. */
export function failureOf(outcome: Refused | Broken): Failure {
  if (outcome.kind === 'broken') {
    return { reason: outcome.fault === 'timeout' ? 'timeout' : 'connection_failed', detail: outcome.detail, permanent: false };
  }
  const { reply, phase, permanent, recipient } = outcome;
  const detail = `${recipient ? `${recipient}: ` : ''}${reply.code} ${reply.enhanced ? `${reply.enhanced} ` : ''}${reply.text}`.slice(0, 500);
  if (phase === 'auth') return { reason: 'authentication_failed', detail, permanent: false };
  if (!permanent) return { reason: phase === 'rcpt' || phase === 'dot' ? 'rate_limited' : 'provider_error', detail, permanent };
  return { reason: permanentReason(phase, reply), detail, permanent };
}

function permanentReason(phase: Refused['phase'], reply: SmtpReply): Failure['reason'] {
  if (reply.code === 552 || reply.enhanced === '5.3.4' || reply.enhanced === '5.2.3') return 'message_too_large';
  if (phase === 'rcpt') return /^5\.1\.[1236]$|^5\.1\.10$/.test(reply.enhanced ?? '') ? 'invalid_recipient' : 'recipient_rejected';
  if (phase === 'dot' || phase === 'data') return 'content_rejected';
  return 'provider_error';
}
