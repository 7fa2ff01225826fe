// Values that a schema might be given: mostly of its shape, some at its edges, some of no shape at all.
import fc from 'fast-check';
import type { z } from 'zod';
import { exampleOf } from '#web/example.ts';

type Def = z.core.$ZodTypes['_zod']['def'];
/** Ids of things that are there, by their prefix. */
export type Pools = ReadonlyMap<string, readonly string[]>;

const NASTY = [
  '',
  ' ',
  '\0',
  '\ud800',
  '\u202e',
  'a\r\nBcc: x@example.com',
  "'; drop table contacts; --",
  '%',
  '_',
  '\\',
  '{{',
  '{{a.b.c}}',
  '{{constructor}}',
  '{a|b',
  '<script>alert(1)</script>',
  'javascript:alert(1)',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '1e400',
  '-0',
  '١٢٣',
  'İ',
  'ß',
  '👩‍👩‍👧‍👦',
  '=HYPERLINK("x")',
  'x'.repeat(999),
  'é'.repeat(20_000),
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '0000-01-01T00:00:00Z',
  'Mars/Olympus',
  'EST5EDT',
  'a@b',
  'a@b.co',
  'ANN@EXAMPLE.COM',
  '"a@evil"@good.com',
  'ü@exämple.com',
  '<>',
  '<a@b>',
  '../../etc/passwd',
  '%00',
  'https://127.0.0.1/',
  'file:///etc/passwd',
];
const NUMBERS = [0, -0, -1, 1, 1.5, 1e9, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324];

const nasty = fc.constantFrom<string>(...NASTY);
const text = fc.oneof({ weight: 3, arbitrary: nasty }, fc.string({ maxLength: 40 }), fc.string({ unit: 'binary', maxLength: 20 }));
const anything = fc.oneof(
  text,
  fc.constantFrom(...NUMBERS),
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
  fc.jsonValue({ maxDepth: 3 }),
);

const someId = (pools: Pools, name: string) => {
  const fitting = [...pools]
    .filter(
      ([prefix]) =>
        PREFIX_OF[
          name
            .replace(/_ids?$/, '')
            .split('_')
            .at(-1) ?? ''
        ] === prefix,
    )
    .flatMap(([, ids]) => ids);
  return fitting.length > 0 ? fc.constantFrom(...fitting) : undefined;
};
const PREFIX_OF: Record<string, string> = {
  inbox: 'inb',
  contact: 'con',
  audience: 'aud',
  sequence: 'seq',
  campaign: 'cmp',
  step: 'stp',
  send: 'snd',
  message: 'msg',
  thread: 'thr',
  webhook: 'whk',
};

/** What to try where `schema` stands. `name` is the field's, for ids of things that are there. */
export function arbitraryOf(schema: z.ZodType, pools: Pools, name = ''): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 14, arbitrary: shaped(schema, pools, name) }, { weight: 1, arbitrary: anything });
}

function shaped(schema: z.ZodType, pools: Pools, name: string): fc.Arbitrary<unknown> {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  const { innerType } = def as { innerType?: z.ZodType };
  if (def.type === 'nullable' && innerType)
    return fc.oneof({ weight: 4, arbitrary: shaped(innerType, pools, name) }, { weight: 1, arbitrary: fc.constant(null) });
  if (innerType) return shaped(innerType, pools, name);
  if (def.type === 'pipe') return shaped(def.in as z.ZodType, pools, name);
  if (def.type === 'union') return fc.oneof(...(def.options as z.ZodType[]).map((one) => shaped(one, pools, name)));
  if (def.type === 'object') return ofObject(def.shape as Record<string, z.ZodType>, pools);
  if (def.type === 'array') return ofArray(def.element as z.ZodType, pools, name);
  if (def.type === 'record') return fc.dictionary(text, arbitraryOf(def.valueType as z.ZodType, pools), { maxKeys: 4 });
  return ofScalar(schema, def, pools, name);
}

function ofScalar(schema: z.ZodType, def: Def, pools: Pools, name: string): fc.Arbitrary<unknown> {
  const example = fc.constant(exampleOf(schema, 'in', name));
  if (def.type === 'enum') return fc.constantFrom(...Object.values(def.entries));
  if (def.type === 'boolean') return fc.boolean();
  if (def.type === 'number') return fc.oneof(example, fc.constantFrom(...NUMBERS), fc.integer({ min: 0, max: 600 }));
  if (def.type !== 'string') return fc.oneof(example, anything);
  const id = someId(pools, name);
  return fc.oneof({ weight: 5, arbitrary: id ?? example }, { weight: 2, arbitrary: text }, { weight: 1, arbitrary: example });
}

/** Every field or only some, now and then one that nobody knows. */
function ofObject(shape: Record<string, z.ZodType>, pools: Pools): fc.Arbitrary<unknown> {
  const fields = Object.entries(shape);
  const known = Object.fromEntries(fields.map(([name, field]) => [name, arbitraryOf(field, pools, name)]));
  const required = fields.filter(([, field]) => !field.safeParse(undefined).success).map(([name]) => name);
  const plain = fc.record(known, { requiredKeys: required });
  const odd = fc.tuple(fc.record(known, { requiredKeys: [] }), nasty, anything).map(([body, key, value]) => ({ ...body, [key]: value }));
  return fc.oneof({ weight: 9, arbitrary: plain }, { weight: 1, arbitrary: odd });
}

function ofArray(element: z.ZodType, pools: Pools, name: string): fc.Arbitrary<unknown> {
  const item = arbitraryOf(element, pools, name);
  const many = item.map((one) => Array.from({ length: 1001 }, () => one));
  return fc.oneof({ weight: 30, arbitrary: fc.array(item, { maxLength: 4 }) }, { weight: 1, arbitrary: many });
}

const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'text/csv',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  '',
];

/** A body as bytes: what `values` gives as JSON, the same with a few characters damaged, or no JSON at all. */
export function bytesOf(values: fc.Arbitrary<unknown>): fc.Arbitrary<{ type: string; payload: Buffer }> {
  const json = values.map((value) => JSON.stringify(value) ?? 'null');
  const damaged = fc.tuple(json, fc.nat(), fc.nat(8), text).map(([whole, at, gone, put]) => {
    const place = whole.length === 0 ? 0 : at % whole.length;
    return whole.slice(0, place) + put + whole.slice(place + gone);
  });
  const typed = (payload: Buffer, type = 'application/json') => ({ type, payload });
  return fc.oneof(
    { weight: 16, arbitrary: json.map((whole) => typed(Buffer.from(whole))) },
    { weight: 3, arbitrary: damaged.map((whole) => typed(Buffer.from(whole))) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(...TYPES)).map(([raw, type]) => typed(Buffer.from(raw), type)),
    },
    { weight: 1, arbitrary: fc.tuple(json, fc.constantFrom(...TYPES)).map(([whole, type]) => typed(Buffer.from(whole), type)) },
  );
}

/** Text for a path or a query. */
export const anyText = text;
