/** Bounds of one mailbox connection. Times are milliseconds of machine time, sizes are bytes. */
export type MailboxLimits = {
  /** Resolving, connecting, TLS and login together. */
  connectMs: number;
  /** One call of the session, whatever commands it takes. */
  operationMs: number;
  /** What is fetched of a message; the rest of a larger one is left out. */
  messageBytes: number;
  /** What one call of `newMessages` holds at most, but for its last message. */
  batchBytes: number;
  /** What a server may send during one call. */
  receivedBytes: number;
};

const MIB = 1024 * 1024;

export const MAILBOX_LIMITS: MailboxLimits = {
  connectMs: 30_000,
  operationMs: 60_000,
  messageBytes: MIB,
  batchBytes: 16 * MIB,
  receivedBytes: 32 * MIB,
};
