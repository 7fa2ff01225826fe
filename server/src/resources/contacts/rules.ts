import { isDeepStrictEqual } from 'node:util';
import type { Row } from './store.ts';

export type Attributes = Readonly<Record<string, unknown>>;

export const LEAD_STATUSES = ['interested', 'meeting_booked', 'not_interested'] as const;
export type LeadStatus = (typeof LEAD_STATUSES)[number];

/** Where the lead status is kept among the attributes. Callers set it by its own endpoint, because it has consequences. */
export const LEAD_KEY = 'lead_classification';

/** Where callers and verifiers keep what a check of the address has found: valid, invalid, risky, unknown. */
const VERIFICATION_KEY = 'verification_status';

export const MAX_ATTRIBUTES = 200;
export const MAX_ATTRIBUTE_NAME = 120;
const MAX_BYTES = 64 * 1024;

/** From which states something that happened may move a contact: a person's own wish, and a complaint above all, outlast a bounce. */
export const MAY_BECOME = {
  bounced: ['ok'],
  unsubscribed: ['ok', 'bounced'],
  blacklisted: ['ok', 'bounced', 'unsubscribed'],
} as const satisfies Partial<Record<Row['global_status'], readonly Row['global_status'][]>>;

/** What is wrong with a contact's attributes as a whole; undefined when nothing is. */
export function attributesFault(attributes: Attributes): string | undefined {
  const names = Object.keys(attributes).filter((name) => name !== LEAD_KEY);
  if (names.length > MAX_ATTRIBUTES) return `A contact has at most ${MAX_ATTRIBUTES} attributes.`;
  if (names.some((name) => name.length > MAX_ATTRIBUTE_NAME)) return `The name of an attribute has at most ${MAX_ATTRIBUTE_NAME} characters.`;
  if (Buffer.byteLength(JSON.stringify(attributes)) > MAX_BYTES) return 'The attributes of a contact take at most 64 KiB of JSON.';
  return undefined;
}

export const attributesOf = (row: Row) => row.attributes as Attributes;

/** `before` with the entries of `patch`; what is null there is taken away. The very same object when nothing changes. */
export function merged(before: Attributes, patch: Attributes): Attributes {
  const after: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete after[name];
    else after[name] = value;
  }
  return isDeepStrictEqual(before, after) ? before : after;
}

/** The lead status that the attributes hold, if it is one. */
export function leadStatusOf(attributes: Attributes): LeadStatus | null {
  const kept = Object.hasOwn(attributes, LEAD_KEY) ? attributes[LEAD_KEY] : null;
  return LEAD_STATUSES.find((one) => one === kept) ?? null;
}

/** What a verifier found of the address, in lower case; null when nobody has looked. */
export function verificationOf(row: Pick<Row, 'attributes'>): string | null {
  const attributes = row.attributes as Attributes;
  const kept = Object.hasOwn(attributes, VERIFICATION_KEY) ? attributes[VERIFICATION_KEY] : null;
  return typeof kept === 'string' ? kept.trim().toLowerCase() : null;
}

/** How text is compared when it is searched for. */
export const searched = (text: string) => text.toLowerCase();

/** What the filter q looks in: the address and every value among the attributes, nested ones too, each on a line of its own. */
export function searchText(row: Pick<Row, 'email' | 'attributes'>): string {
  const lines = [row.email];
  collect(row.attributes, lines);
  return searched(lines.join('\n'));
}

function collect(value: unknown, lines: string[]): void {
  if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) collect(one, lines);
  else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') lines.push(`${value}`);
}
