// What the rest of the house knows of mail: the words, and the doors to a sending server and to a mailbox.

/** `ssl`: TLS from the first byte. `starttls`: upgrade, and no login before it. */
export type Security = 'ssl' | 'starttls';
export type Credentials = { username: string; password: string } | { username: string; accessToken: string };
export type MailServer = { host: string; port: number; security: Security; credentials: Credentials };
export type MailAddress = { email: string; name?: string | null };
export type Envelope = { from: string; to: readonly string[] };

/** Where in a conversation something happened, in order. */
export type SmtpPhase = 'connect' | 'banner' | 'ehlo' | 'starttls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'body' | 'dot';

/** A server's answer: RFC 5321 code, RFC 3463 enhanced status where it gave one, and its words (bounded, control characters removed). */
export type SmtpReply = { code: number; enhanced: string | null; text: string };

export type Fault = 'dns' | 'blocked_address' | 'refused' | 'reset' | 'closed' | 'timeout' | 'tls' | 'protocol';

/** The server said no. `permanent` for 5xx. Nothing was accepted. */
export type Refused = {
  kind: 'refused';
  phase: SmtpPhase;
  permanent: boolean;
  reply: SmtpReply;
  /** Which of several recipients was refused, and the whole message with it. */
  recipient?: string;
};
/** The conversation broke before the final dot was written. Nothing was accepted. */
export type Broken = { kind: 'broken'; phase: Exclude<SmtpPhase, 'dot'>; fault: Fault; detail: string };
export type Accepted = { kind: 'accepted'; reply: SmtpReply };
/** The dot was (perhaps) written and no answer was read: the server may have accepted. Never to be re-sent by a machine. */
export type Unknown = { kind: 'unknown'; phase: 'dot'; fault: Fault; detail: string };

/** The connection was gone before the dot was handed to it: nothing was accepted. */
export type Unwritten = { kind: 'unwritten'; detail: string };

/** A message that the server holds all of, but for the final dot. */
export type HeldMessage = {
  kind: 'held';
  /** Write the dot and wait for the verdict. */
  release(): Promise<Accepted | Refused | Unwritten | Unknown>;
  /** Never write it: the connection is destroyed (SMTP knows no other way out of DATA). */
  abort(): void;
};

/** One authenticated connection to a sending server; one message at a time. */
export type SmtpSession = {
  /** Transmit envelope and message (RFC 5322 bytes, CRLF lines) up to, but without, the final dot. */
  offer(envelope: Envelope, message: Buffer): Promise<HeldMessage | Refused | Broken>;
  /** Whether another message may be offered. False after any failure that leaves the conversation undefined. */
  readonly usable: boolean;
  /** The greatest message that the server takes (SIZE), null when it did not say. */
  readonly sizeLimit: number | null;
  /** QUIT, politely but briefly. Never throws. */
  close(): Promise<void>;
};

/** Where a folder was read up to. */
export type FolderCursor = { uidValidity: string; lastUid: number };
export type FolderRole = 'inbox' | 'junk' | 'sent';
export type Place = { path: string };
export type Folder = Place & { role: FolderRole };
/** A message as the mailbox holds it. `source` is cut at a limit, then `truncated`. */
export type StoredMessage = { uid: number; source: Buffer; truncated: boolean; internalDate: Date | null; flags: string[] };

/** One authenticated connection to a mailbox (IMAP4rev1). Every method rejects with MailboxError when the conversation breaks. */
export type MailboxSession = {
  /** INBOX always; Junk and Sent where the server names them (SPECIAL-USE, RFC 6154) or a folder has a usual name. */
  folders(): Promise<Folder[]>;
  /** The cursor of "everything up to this moment is old". */
  cursorNow(folder: Folder): Promise<FolderCursor>;
  /**
   * Messages that came after the cursor, oldest first, at most `limit`, and the cursor behind the last of them. When UIDVALIDITY changed
   * (`reset` is then true) the messages that the server dates since `since` are returned instead.
   */
  newMessages(
    folder: Folder,
    cursor: FolderCursor,
    options: { limit: number; since: Date },
  ): Promise<{ messages: StoredMessage[]; cursor: FolderCursor; reset: boolean; more: boolean }>;
  /** The message at this place, null when it is there no more: taken away, or the folder was made anew. */
  messageAt(folder: Place, at: { uidValidity: string; uid: number }): Promise<StoredMessage | null>;
  /** The message whose Message-ID is exactly this (angle brackets included), null when the folder has none. */
  findByMessageId(folder: Place, messageId: string): Promise<StoredMessage | null>;
  /** Add flags to the message at this place; false when it is there no more. */
  addFlags(folder: Place, at: { uidValidity: string; uid: number }, flags: readonly ('\\Seen' | '\\Flagged')[]): Promise<boolean>;
  /** Put the message at this place into another folder; false when it is there no more, or where the server could not do it without harm. */
  move(folder: Place, at: { uidValidity: string; uid: number }, to: Place): Promise<boolean>;
  /** Where people put what they have read: archive, all mail and trash, where the server names them (SPECIAL-USE). */
  putAway(): Promise<Place[]>;
  close(): Promise<void>;
};

export class MailboxError extends Error {
  override name = 'MailboxError';
  /** `authentication`: the server refused the login. `missing`: the folder is gone. */
  readonly fault: Fault | 'authentication' | 'missing';
  constructor(fault: Fault | 'authentication' | 'missing', message: string) {
    super(message);
    this.fault = fault;
  }
}

/** The two doors that the world holds open. A test-mode row has no business with either. */
export type Mail = {
  connectSmtp(server: MailServer): Promise<SmtpSession | Refused | Broken>;
  /** `messageBytes`: how much of each message is fetched, where it shall be another amount than usual. */
  openMailbox(server: MailServer, limits?: { messageBytes?: number }): Promise<MailboxSession>;
};
