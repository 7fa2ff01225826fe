// The gates of a warm-up mail, asked before a connection is opened and again, under locks, before its dot. Pure.
import { type Inbox, capLeft } from '#resources/inboxes/index.ts';
import { type WarmupMail, inWorkingHours, nextWorkingDay } from '#resources/warmup/index.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How late a mail may leave that opens an exchange, and one that answers. */
export const MAX_LATENESS_MS = { opening: 6 * HOUR, answer: 72 * HOUR };
/** How often it is looked whether what waits may leave. */
const LOOK_AGAIN_MS = 30 * MINUTE;
const MAX_ATTEMPTS = 3;

export type Facts = {
  mail: Pick<WarmupMail, 'id' | 'place' | 'scheduled_at'>;
  inbox: Pick<Inbox, 'status' | 'warmup_enabled' | 'next_send_at'> & Parameters<typeof capLeft>[0];
  partner: Pick<Inbox, 'status' | 'warmup_enabled'>;
  /** Warm-up mails of the inbox's day, and how many it may send on it. */
  spent: number;
  limit: number;
  /** The inbox's own mail that is to leave today. */
  waiting: number;
};

/** `wait` until then; `cancel` for good. */
export type Denial = { kind: 'wait'; until: Date } | { kind: 'cancel'; because: string };

export const TENDED_WHEN: readonly Inbox['status'][] = ['active', 'over_quota_today', 'unhealthy'];

/** Why this mail may not leave now; null when it may. The inbox's own mail goes first: what it leaves of the cap is the warm-up's. */
export function denialOf({ mail, inbox, partner, spent, limit, waiting }: Facts, now: Date): Denial | null {
  const opening = mail.place === 0;
  const later = (ms: number): Denial => ({ kind: 'wait', until: new Date(now.getTime() + ms) });
  if (!inbox.warmup_enabled || !partner.warmup_enabled) return { kind: 'cancel', because: 'One of the two has left the pool.' };
  if (partner.status === 'revoked' || partner.status === 'failed') return { kind: 'cancel', because: 'Its recipient is not read any more.' };
  const tooLate = now.getTime() - mail.scheduled_at.getTime() > (opening ? MAX_LATENESS_MS.opening : MAX_LATENESS_MS.answer);
  if (tooLate) return { kind: 'cancel', because: 'It could not leave in time.' };
  if (inbox.status !== 'active' && inbox.status !== 'over_quota_today') return later(LOOK_AGAIN_MS);
  if (spent >= limit || capLeft(inbox, now) <= 0) {
    return opening
      ? { kind: 'cancel', because: "The day's limit was reached." }
      : { kind: 'wait', until: nextWorkingDay(now, inbox.timezone, mail.id) };
  }
  const hours = inWorkingHours(now, inbox.timezone, mail.id);
  if (hours > now) return { kind: 'wait', until: hours };
  if (inbox.next_send_at > now) return { kind: 'wait', until: inbox.next_send_at };
  if (!TENDED_WHEN.includes(partner.status) || waiting >= capLeft(inbox, now)) return later(LOOK_AGAIN_MS);
  return null;
}

/** When a mail that did not leave, by no fault that would last, is tried again; null when it was tried often enough. */
export const triesAgainAt = (attempts: number, now: Date): Date | null =>
  attempts >= MAX_ATTEMPTS ? null : new Date(now.getTime() + LOOK_AGAIN_MS * attempts);
