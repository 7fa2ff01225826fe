// The body of POST /v1/sends, and the parts of it that replies share.
import { z } from 'zod';
import { isMessageId } from '#mail/compose/message-id.ts';
import { emailKey } from '#platform/email-address.ts';
import { Refusal } from '#platform/refusal.ts';
import { readRows } from '#web/batch.ts';
import { Email, Line, Prose, Ref } from '#web/wire.ts';
import { Attachments } from './attachments-wire.ts';

export type Recipient = { email: string; name?: string | undefined };

const Named = z.strictObject({ email: Email, name: Line(200).optional() });
const plain = (to: string | Recipient): Recipient => (typeof to === 'string' ? { email: to } : to);
const Recipient = z.union([Email, Named]).transform(plain).meta({ description: 'An address, or {email, name}.' });

/** The reference shows what a row is to be. */
function asRecipient({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  const email = { type: 'string', format: 'email' };
  const named = { type: 'object', properties: { email, name: { type: 'string', maxLength: 200 } }, required: ['email'], additionalProperties: false };
  Object.assign(jsonSchema, { anyOf: [email, named] });
}

/** Rows of a bulk send are read one by one, so that each can fail alone: see recipientsOf. */
const Rows = z
  .array(z.unknown().meta({ description: 'An address, or {email, name}.', override: asRecipient }))
  .min(1)
  .max(1000);
const To = z
  .union([Email, Named, Rows])
  .transform((to): Recipient | unknown[] => (Array.isArray(to) ? to : plain(to)))
  .meta({ description: 'An address, {email, name}, or 1 to 1,000 of either.' });

const MessageIdText = z
  .string()
  .refine(isMessageId, { message: 'A Message-ID in angle brackets.' })
  .meta({ description: 'A Message-ID in angle brackets.', example: '<abc@example.com>' });
const Instant = z.iso.datetime({ offset: true, message: 'RFC 3339 with a zone, such as 2026-11-21T09:30:00Z.' }).transform((text) => new Date(text));

/** Characters; a line of a message holds no more octets (RFC 5322 2.1.1). */
export const MAX_SUBJECT = 998;
const MAX_VARIABLES = 1_000_000;

export const Subject = Line(MAX_SUBJECT, 1).refine((text) => text.trim() !== '', { message: 'A subject of spaces only is none.' });

/** What every letter may say. */
export const BODIES = {
  body_html: Prose(500_000).optional(),
  body_text: Prose(500_000).optional(),
  variables: z
    .record(z.string().max(120), z.unknown())
    .refine((map) => JSON.stringify(map).length <= MAX_VARIABLES, { message: `More than ${MAX_VARIABLES} characters as JSON.` })
    .optional(),
  metadata: z
    .record(z.string().max(120), Prose(2000))
    .refine((map) => Object.keys(map).length <= 50, { message: 'At most 50 entries.' })
    .optional()
    .meta({ description: 'Comes back on every event of the send.' }),
  append_signature: z.boolean().default(false),
};

/** A letter says something. */
export const needsBody = <T extends z.ZodType<{ body_html?: string | undefined; body_text?: string | undefined }>>(letter: T) =>
  letter.refine((one) => one.body_html !== undefined || one.body_text !== undefined, {
    message: 'Give body_html, body_text or both.',
    path: ['body_text'],
  });

const InboxId = Ref('inb', 'inbox');
const InboxIds = z
  .array(InboxId)
  .min(1)
  .max(500)
  .optional()
  .meta({ description: 'Default: every active inbox. One that is named twice counts once.' });
const FromStrategy = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('single'), inbox_id: InboxId }),
  z.strictObject({ type: z.literal('rotate').meta({ description: 'Round-robin, also from call to call.' }), inbox_ids: InboxIds }),
  z.strictObject({
    type: z.literal('least_busy').meta({ description: "The inbox with most of today's allowance left." }),
    inbox_ids: InboxIds,
  }),
]);
export type FromStrategy = z.output<typeof FromStrategy>;

const MAX_HEADERS = 20;
const Headers = z
  .record(z.string().max(64), Line(900, 1))
  .superRefine((headers, issues) => {
    const wrong = (name: string, message: string) => issues.addIssue({ code: 'custom', message, path: [name] });
    const seen = new Set<string>();
    for (const [name, value] of Object.entries(headers)) {
      const lower = name.toLowerCase();
      if (!/^(?:x|list)-[a-z0-9][a-z0-9-]*$/.test(lower)) wrong(name, 'Only X-* and List-* headers can be given.');
      else if (seen.has(lower)) wrong(name, 'This header is given twice.');
      else if (value.trim() === '') wrong(name, 'A header must have something in it.');
      // RFC 2369: a List-* field is structured, so nothing in it can be encoded.
      else if (lower.startsWith('list-') && /[^ -~]/.test(value)) wrong(name, 'A List-* header takes ASCII only.');
      seen.add(lower);
    }
    if (seen.size > MAX_HEADERS) issues.addIssue({ code: 'custom', message: `At most ${MAX_HEADERS} headers.` });
  })
  .meta({ description: 'X-* and List-* headers only, at most 20, of 900 characters each.' });

const Copies = z.array(Recipient).max(20);

type Addressed = { cc?: Recipient[] | undefined; bcc?: Recipient[] | undefined };

/** Nobody gets two copies of one message. */
function refuseTwice({ cc = [], bcc = [] }: Addressed, issues: z.core.$RefinementCtx): void {
  const seen = new Set<string>();
  const copies = [...cc.map((one, i) => ({ one, path: ['cc', i] })), ...bcc.map((one, i) => ({ one, path: ['bcc', i] }))];
  for (const { one, path } of copies) {
    // An address that was refused is still as it came.
    if (typeof one?.email !== 'string') continue;
    const key = emailKey(one.email);
    if (seen.has(key)) issues.addIssue({ code: 'custom', message: `${one.email} is there twice.`, path, params: { code: 'duplicate_recipient' } });
    seen.add(key);
  }
}

export const NewSend = needsBody(
  z.strictObject({
    to: To,
    subject: Subject,
    inbox_id: InboxId.optional().meta({ description: 'Short for the strategy `single`, but for the form of the answer.' }),
    from_strategy: FromStrategy.optional(),
    ...BODIES,
    send_at: Instant.nullable().optional().meta({ description: 'Default: at once, as a time in the past is. At most a year ahead.' }),
    thread_id: z.string().max(2000).optional()
      .meta({ description: "A thr_ id. The send answers the thread's latest message, from its inbox, and no daily cap holds it back." }),
    in_reply_to_message_id: MessageIdText.optional(),
    cc: Copies.optional(),
    bcc: Copies.optional().meta({ description: 'They get the message, and nothing in it names them.' }),
    reply_to: Email.optional().meta({ description: "Default: the inbox's reply_to." }),
    headers: Headers.optional(),
    attachments: Attachments.optional(),
    track_opens: z.boolean().default(false).meta({ description: 'Put a pixel into the HTML body and tell `message.opened`.' }),
    track_clicks: z
      .boolean()
      .default(false)
      .meta({ description: 'Follow the http and https links of the HTML body and tell `message.clicked`.' }),
  }),
)
  .superRefine(refuseTwice)
  .refine((send) => send.from_strategy === undefined || send.inbox_id === undefined, {
    message: 'Give inbox_id or from_strategy, not both.',
    path: ['from_strategy'],
  })
  .refine((send) => send.from_strategy !== undefined || send.inbox_id !== undefined, {
    message: 'Give inbox_id or from_strategy.',
    path: ['inbox_id'],
  })
  .refine((send) => send.thread_id === undefined || (send.from_strategy?.type ?? 'single') === 'single', {
    message: "A thread is answered from its own inbox: name that as inbox_id or in a `single` strategy.",
    path: ['from_strategy'],
  })
  .meta({
    example: {
      inbox_id: 'inb_01jd0000000000000000000000', to: { email: 'ann@example.com', name: 'Ann Example' }, subject: 'A question, {{first_name}}',
      body_text: 'Hello {{first_name}},', variables: { first_name: 'Ann' }, metadata: { order: '17' },
    },
  }); // prettier-ignore
export type NewSend = z.output<typeof NewSend>;

/** Whether the answer is a bulk result: several recipients, or a strategy. */
export const isBulk = ({ to, from_strategy: strategy }: NewSend): boolean => strategy !== undefined || (Array.isArray(to) && to.length > 1);

const Row = z.strictObject({ to: Recipient });

/** Each recipient of a call in its place, or why it is none. */
export function recipientsOf({ to }: NewSend): (Recipient | Refusal)[] {
  if (!Array.isArray(to)) return [to];
  return readRows(Row, to.map((one) => ({ to: one }))).map((row) => (row instanceof Refusal ? row : row.to)); // prettier-ignore
}

/** The recipient of a call that is not a bulk one, or why an array's only element is none. */
export function recipientOf(body: NewSend): Recipient | Refusal {
  const [only] = recipientsOf(body);
  if (!(only instanceof Refusal)) return only!;
  const { param = 'to' } = only.details;
  return new Refusal(only.code, only.message, { param: param.replace(/^to/, 'to[0]') });
}

/** The address of a recipient as it was sent, so that the caller knows the row again; empty where there is none. */
export function addressSent(row: unknown): string {
  const email: unknown = typeof row === 'object' && row !== null && 'email' in row ? row.email : row;
  return typeof email === 'string' ? email.slice(0, 320) : '';
}
