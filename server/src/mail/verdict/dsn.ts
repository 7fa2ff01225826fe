import { identifier, oneLine } from '../parse/fields.ts';
import { field, type Fields, type InboundMessage } from '../parse/message.ts';
import { type FailureType, failureType, statusIn } from './failure.ts';

export type Bounce = {
  type: FailureType;
  /** RFC 3463 code, null where none was given. */
  status: string | null;
  /** The refusing server's words, one line, at most 500 characters. */
  diagnostic: string | null;
  /** Lower-cased. With forwarding both the address that was written to and the one that failed. */
  recipients: string[];
  /** The Message-ID that failed, as far as the report cites one. */
  originalMessageId: string | null;
};

const MAX_DIAGNOSTIC = 500;

type Failed = { recipients: string[]; status: string | null; diagnostic: string | null; type: FailureType };

/** The bounce that a delivery report (RFC 3464) tells of; null when it is none, or reports no failure. */
export function dsnOf(message: InboundMessage): Bounce | null {
  const failed = (message.deliveryStatus?.recipients ?? []).filter(hasFailed).map(failureOf);
  const [first] = failed;
  if (!first) return null;
  const worst = failed.find((one) => one.type !== 'hard') ?? first;
  return {
    // Several recipients share one verdict: hard only if every one of them is.
    type: worst.type,
    status: worst.status,
    diagnostic: worst.diagnostic,
    recipients: [...new Set(failed.flatMap((one) => one.recipients))],
    originalMessageId: citedBy(message),
  };
}

/** Action (RFC 3464, section 2.3.3) decides; a report without one has failed if its status is of class 5. */
function hasFailed(group: Fields): boolean {
  const action = field(group, 'action').toLowerCase();
  if (/^[a-z]/.test(action)) return action.startsWith('failed');
  return (statusIn(field(group, 'status')) ?? '').startsWith('5.');
}

function failureOf(group: Fields): Failed {
  const words = oneLine(withoutType(field(group, 'diagnostic-code')), 4000);
  const reported = statusIn(field(group, 'status'));
  const given = statusIn(words);
  return {
    recipients: ['original-recipient', 'final-recipient'].flatMap((name) => addressIn(field(group, name)) ?? []),
    status: reported === null || reported.endsWith('.0.0') ? (given ?? reported) : reported,
    diagnostic: words.slice(0, MAX_DIAGNOSTIC) || null,
    type: failureType(reported, words),
  };
}

/** `smtp; 550 …` without what comes before the semicolon (RFC 3464, section 2.1.2). */
const withoutType = (value: string): string => value.replace(/^\s*[a-z0-9-]{1,40}\s*;/i, '').trim();

function addressIn(value: string): string | null {
  const [address] = /[^\s<>";,()@]{1,64}@[^\s<>";,()@]{1,255}/.exec(withoutType(value)) ?? [];
  return address?.toLowerCase() ?? null;
}

/** The Message-ID that a report is about: from the returned header, else from fields that servers add, else from what it answers. */
export function citedBy(message: InboundMessage): string | null {
  const inText = /^[>\s]{0,10}message-id:\s{0,80}(<[^<>\s]{1,996}>)/im.exec(message.text);
  return (
    identifier(field(message.originalHeaders, 'message-id')) ??
    identifier(field(message.deliveryStatus?.message ?? null, 'x-original-message-id')) ??
    identifier(inText?.[1] ?? '') ??
    message.inReplyTo ??
    message.references.at(-1) ??
    null
  );
}
