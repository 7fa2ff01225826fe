import { EgressError, faultOf } from '#platform/egress.ts';
import { type Fault, MailboxError } from '../mail.ts';
import { oneLine } from '../parse/fields.ts';

/** What imapflow adds to the errors that it throws. */
type ImapFailure = Error & {
  code?: string;
  responseStatus?: string;
  responseText?: string;
  serverResponseCode?: string;
  authenticationFailed?: boolean;
  mailboxMissing?: boolean;
  tlsFailed?: boolean;
};

const CLOSED = ['NoConnection', 'EConnectionClosed', 'StateLogout', 'ClosedAfterConnectText', 'ClosedAfterConnectTLS'];
const TIMEOUTS = ['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT', 'ETIMEOUT', 'ETHROTTLE'];
/** Node's codes for what goes wrong below TLS. */
const SOCKET = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN'];
/** A NO that says "not now" (RFC 5530): neither the password nor the folder is to blame. */
const NOT_NOW = /\b(UNAVAILABLE|INUSE|LIMIT|SERVERBUG|OVERQUOTA|THROTTLED)\b/;
const NOT_NOW_WORDS = /too many|throttl|temporar|try (again )?later|simultaneous|rate limit|service unavailable/i;

/** Whatever broke the conversation, as a MailboxError. Its message quotes the server's words, bounded, and never a secret. */
export function mailboxError(error: unknown): MailboxError {
  if (error instanceof MailboxError) return error;
  if (error instanceof EgressError) return new MailboxError(error.fault, error.message);
  const failure = (error instanceof Error ? error : new Error(String(error))) as ImapFailure;
  const words = oneLine(failure.responseText ?? failure.message, 200);
  return new MailboxError(faultIn(failure), words);
}

/** Whether a connection was lost without telling why: then an earlier error of the same connection knows more. */
export const isPlainLoss = (error: unknown): boolean => mailboxError(error).fault === 'closed';

function faultIn(failure: ImapFailure): MailboxError['fault'] {
  const { code = '', responseStatus } = failure;
  if (TIMEOUTS.includes(code)) return 'timeout';
  if (CLOSED.includes(code)) return 'closed';
  if (SOCKET.includes(code)) return faultOf(failure);
  if (failure.tlsFailed || /^(ERR_TLS|ERR_SSL|CERT_|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH)/.test(code)) return 'tls';
  if (responseStatus !== undefined) return refusedIn(failure);
  return failure.authenticationFailed ? 'authentication' : 'protocol';
}

/** A tagged NO or BAD. imapflow blames the login for whatever happens during it, a lost connection included, so that its word is not enough. */
function refusedIn(failure: ImapFailure): Fault | 'authentication' | 'missing' {
  const notNow = NOT_NOW.test(failure.serverResponseCode ?? '') || NOT_NOW_WORDS.test(failure.responseText ?? '');
  if (notNow) return 'refused';
  if (failure.authenticationFailed) return failure.responseStatus === 'NO' ? 'authentication' : 'protocol';
  return failure.mailboxMissing ? 'missing' : 'protocol';
}
