// What a scripted SMTP server can be told to do, and what it remembers.

/** Where the script is asked. `body`: when the first bytes of a message came in. `dot`: when all of it did. */
export type ScriptPhase = 'banner' | 'ehlo' | 'starttls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'body' | 'dot' | 'rset' | 'quit';

export type Connection = { number: number; secured: boolean; login: string | null };

/** A message as it came in: `raw` without dot-stuffing and final dot, `messageId` with its angle brackets. */
export type ReceivedMessage = {
  connection: number;
  login: string | null;
  mailFrom: string;
  rcptTo: string[];
  raw: Buffer;
  messageId: string | null;
};

/** `sequence` counts acceptances from 1. */
export type AcceptedMessage = ReceivedMessage & { sequence: number };

/** `delayMs`: wait before it, reading nothing. `dribbleMs`: the wait between the bytes of the answer. */
type Tempo = { delayMs?: number; dribbleMs?: number };

/**
 * - `accept`: what a willing server does, even where this one would not (354 without a recipient); `extra` follows its reply in the same write.
 * - `reply`, `raw`: answer this, and do nothing else. At `body` it is said in the midst of the message, which has its answer then.
 * - `drop`: close the connection, with a reset instead of a close where `reset`. At `body` once `afterBytes` have come.
 * - `hang`: never answer, read no further.
 *
 * At `dot`, `accepted` says whether the message goes into the ledger; without it, that follows from the answer (`accept`, or a 2xx reply).
 */
export type Action = Tempo &
  (
    | { kind: 'accept'; extra?: string }
    | { kind: 'reply'; code: number; text?: string; accepted?: boolean }
    | { kind: 'raw'; bytes: string | Buffer; accepted?: boolean }
    | { kind: 'drop'; reset?: boolean; afterBytes?: number; accepted?: boolean }
    | { kind: 'hang'; accepted?: boolean }
  );

/** Whether an answer other than plain acceptance still puts the message into the ledger. */
export function recordsAnyway(action: Action): boolean {
  if (action.kind === 'accept') return false;
  return action.accepted ?? (action.kind === 'reply' && action.code < 300);
}

/** The moment that a script is asked about. `recipient` at `rcpt`, `message` at `dot`. */
export type Moment = { connection: Connection; phase: ScriptPhase; recipient?: string; message?: ReceivedMessage };

/** Undefined lets the server behave as a decent one does. */
export type Script = (moment: Moment) => Action | undefined;

/** What EHLO offers. `size`: the limit in bytes, null withholds SIZE. */
export type Offers = {
  pipelining: boolean;
  size: number | null;
  eightBitMime: boolean;
  smtpUtf8: boolean;
  enhancedStatusCodes: boolean;
  startTls: boolean;
  auth: readonly string[];
};

export const EVERYTHING: Offers = {
  pipelining: true,
  size: 35_882_577,
  eightBitMime: true,
  smtpUtf8: true,
  enhancedStatusCodes: true,
  startTls: true,
  auth: ['PLAIN', 'LOGIN', 'XOAUTH2'],
};

export type User = { username: string; password: string } | { username: string; accessToken: string };

/** `bodyBytes` as they came over the wire, final dot included. `clearLogins`: AUTH before TLS, which no client may do. */
export type Counters = { connections: number; dots: number; bodyBytes: number; clearLogins: number };
