// The forms that every resource shares. Field schemas are strict: an unknown field is refused, a wrong one is named.
import { z } from 'zod';
import { isEmail } from '#platform/email-address.ts';
import { type Prefix, isId } from '#platform/ids.ts';
import type { Page } from '#store/page.ts';

export const Mode = z.enum(['live', 'test']).meta({ id: 'Mode', description: 'live, or test: the simulated world.' });

/** An address as callers write it: trimmed, the spelling kept. Quoted local parts, spaces and control characters are refused. */
export const Email = z
  .string()
  .trim()
  .max(320)
  .refine((text) => isEmail(text), { message: 'This is not an e-mail address.', params: { code: 'invalid_email' } })
  .meta({ format: 'email', example: 'ann@example.com' });

export const Timestamp = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds.', example: '2026-11-21T09:30:00.000Z' });

/** An id in an answer or a body. In a path use `idParams`: there any wrong spelling is simply not found. */
export const Id = (prefix: Prefix) =>
  z
    .string()
    .refine((text) => isId(text, prefix), { message: `This is no ${prefix}_ id.` })
    .meta({ description: `${prefix}_ and 26 characters.`, example: `${prefix}_01k3zq6v9efxt8h5m2r7wbnycd` });

/** An id in a body. One of another form is as much not there as one that nobody has: `resource_missing`, never a fault of form. */
export const Ref = (prefix: Prefix, what: string) =>
  z
    .string()
    .refine((text) => isId(text, prefix), { message: `No such ${what}.`, params: { code: 'resource_missing' } })
    .meta({ description: `${prefix}_ and 26 characters.`, example: `${prefix}_01k3zq6v9efxt8h5m2r7wbnycd` });

/** Path parameters, each by its prefix: `idParams({ id: 'seq', step_id: 'stp' })`. web/app.ts answers 404 to any that do not fit. */
export const idParams = <const P extends Record<string, Prefix>>(prefixes: P) =>
  z.strictObject(Object.fromEntries(Object.entries(prefixes).map(([name, prefix]) => [name, Id(prefix)])) as { [K in keyof P]: z.ZodString });

/** Text that reaches a mail header or a listing: no control characters, no lone surrogates. */
export const Line = (max: number, min = 0) =>
  z
    .string()
    .min(min)
    .max(max)
    .refine((text) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text), { message: 'Control characters are not allowed here.' });

/** What people call a thing: a line with something to see in it. */
export const Name = (max: number) => Line(max, 1).refine((text) => text.trim() !== '', { message: 'A name must have something to see in it.' });

/** Longer text: line feeds and tabs are welcome, NUL and lone surrogates are not (the database and mail would refuse them). */
export const Prose = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !/[\0\p{Cs}]/u.test(text), { message: 'NUL and lone surrogates are not allowed here.' });

/** In a URL everything is text; the reference shows what is meant. */
const asWholeNumber = ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
  delete jsonSchema['pattern'];
  Object.assign(jsonSchema, { type: 'integer', minimum: 1, maximum: 100, default: 25 });
};

/** Parameters that every list takes. */
export const PageQuery = z.strictObject({
  limit: z.string().regex(/^\d{1,3}$/, 'A whole number from 1 to 100.').transform(Number).pipe(z.int().min(1).max(100)).default(25)
    .meta({ description: 'How many at most.', override: asWholeNumber }),
  starting_after: z.string().max(500).optional().meta({ description: '`next_cursor` of a page, or the id of an object: what is older.' }),
  ending_before: z.string().max(500).optional().meta({ description: '`prev_cursor` of a page, or the id of an object: what is newer.' }),
}); // prettier-ignore

export const ConfirmQuery = z.strictObject({ confirm: z.string().optional() });

export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    object: z.literal('list'),
    data: z.array(item),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
    prev_cursor: z.string().nullable(),
  });

/** The list envelope around one page. */
export const list = <Row, Item>(page: Page<Row>, present: (row: Row) => Item) => ({
  object: 'list' as const,
  data: page.rows.map(present),
  has_more: page.hasMore,
  next_cursor: page.nextCursor,
  prev_cursor: page.prevCursor,
});

/** A point in time as it is shown: null stays null. */
export const shown = (at: Date | null) => at?.toISOString() ?? null;
