// A message as Postrider reads it: only what verdict and matching need, every part of it bounded.

/** Header or report fields by lower-case name, in order of appearance. */
export type Fields = ReadonlyMap<string, readonly string[]>;

/** The machine-readable half of a delivery report (RFC 3464, section 2.1.1): one group about the message, one for each recipient. */
export type DeliveryStatus = { message: Fields; recipients: Fields[] };

export type InboundMessage = {
  /** With angle brackets, at most 998 bytes; null when the header is absent or holds no identifier. */
  messageId: string | null;
  /** The first identifier of In-Reply-To. */
  inReplyTo: string | null;
  /** Oldest first; the last 100 where there are more. */
  references: string[];
  /** Lower-cased address, decoded name without control characters. */
  from: { email: string; name: string | null } | null;
  /** To and Cc, lower-cased, at most 100. */
  to: string[];
  subject: string;
  /** The Date header where it can be read and lies between 1990 and 2100. */
  date: Date | null;
  /** The text of the message, made from its HTML where that is all there is; at most 64 Ki characters. */
  text: string;
  headers: Fields;
  /** `report-type` of a multipart/report (RFC 6522), lower-cased. */
  reportType: string | null;
  deliveryStatus: DeliveryStatus | null;
  /** The headers of the message that a report brings back with it. */
  originalHeaders: Fields | null;
  /** The fields of an abuse report (RFC 5965). */
  feedbackReport: Fields | null;
  /** Whether something was left unread: the source was cut, or held more structure than we follow. */
  truncated: boolean;
};

/** Not a message: not even a header could be read. */
export class ParseError extends Error {
  override name = 'ParseError';
}

/** The first value of a field, '' when there is none. */
export const field = (fields: Fields | null, name: string): string => fields?.get(name)?.[0] ?? '';
