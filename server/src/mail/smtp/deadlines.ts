// How long we wait for a server, in milliseconds.
import type { SmtpPhase } from '../mail.ts';

/**
 * One limit per phase, for the whole of its answer (bytes that drip in do not renew it). `total` bounds the way from dialling to login, and
 * each message's way from MAIL to its held end; the dot has a limit of its own, because giving up on it early is how messages arrive twice.
 */
export type Deadlines = Readonly<Record<SmtpPhase | 'quit' | 'total', number>>;

/** RFC 5321 section 4.5.3.2 where a sender can afford it; its five minutes for banner, MAIL and RCPT are too long for a paced mailbox. */
export const DEADLINES: Deadlines = {
  connect: 30_000,
  banner: 60_000,
  ehlo: 60_000,
  starttls: 60_000,
  auth: 60_000,
  mail: 60_000,
  rcpt: 60_000,
  data: 120_000,
  body: 180_000,
  dot: 600_000,
  quit: 2_000,
  total: 900_000,
};
