// Examples for the reference, made from the schemas themselves, so that no route is without one and none can go stale.
import type { z } from 'zod';
import { SAMPLES } from './samples.ts';

type Def = z.core.$ZodTypes['_zod']['def'];
type Direction = 'in' | 'out';

const WRAPPERS = new Set(['optional', 'nullable', 'default', 'prefault', 'nonoptional', 'readonly', 'catch']);
const SAMPLE_CHOICES = 4;

/**
 * A value that `schema` takes: its own `example`, else what its field's name usually holds, else the plainest of its kind. `in` is what
 * callers send, `out` what they get. Of an object it holds as many optional fields as fit together.
 */
export function exampleOf(schema: z.ZodType, direction: Direction = 'in', name = ''): unknown {
  const own = ownExample(schema);
  if (own !== undefined) return own;
  const sample = Object.hasOwn(SAMPLES, name) ? SAMPLES[name] : undefined;
  if (sample !== undefined && schema.safeParse(sample).success) return sample;
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  if (WRAPPERS.has(def.type)) return exampleOf(innerOf(def), direction, name);
  if (def.type === 'pipe') return exampleOf((direction === 'in' ? def.in : def.out) as z.ZodType, direction, name);
  if (def.type === 'object') return ofObject(schema as z.ZodObject, direction);
  if (def.type === 'array') return ofArray(schema as z.ZodArray<z.ZodType>, direction, name);
  if (def.type === 'record') return { [String(exampleOf(def.keyType as z.ZodType, direction))]: exampleOf(def.valueType as z.ZodType, direction) };
  if (def.type === 'union') {
    const options = (def.options as z.ZodType[]).map((one) => exampleOf(one, direction, name));
    return firstThatFits(schema, options);
  }
  return ofScalar(schema, def);
}

function ownExample(schema: z.ZodType): unknown {
  const meta = schema.meta();
  if (meta && 'example' in meta) return meta['example'];
  return Array.isArray(meta?.['examples']) ? meta['examples'][0] : undefined;
}

const innerOf = (def: Def) => (def as unknown as { innerType: z.ZodType }).innerType;

function ofScalar(schema: z.ZodType, def: Def): unknown {
  if (def.type === 'literal') return def.values[0];
  if (def.type === 'enum') return Object.values(def.entries)[0];
  if (def.type === 'boolean') return true;
  if (def.type === 'null') return null;
  if (def.type === 'number') return firstThatFits(schema, [1, 0, 10, 0.5]);
  return def.type === 'string' ? firstThatFits(schema, ['text', '2026-11-23T09:30:00.000Z', 'Europe/Berlin', 'a']) : 'text';
}

function ofArray(schema: z.ZodArray<z.ZodType>, direction: Direction, name: string): unknown[] {
  const item = exampleOf(schema.element, direction, name.replace(/ies$/, 'y').replace(/s$/, ''));
  const filled = [item];
  return schema.safeParse(filled).success ? filled : [];
}

const isOptional = (schema: z.ZodType) => schema.safeParse(undefined).success;

/** Everything when that fits; else the required fields, and then each optional one that the others bear. */
function ofObject(schema: z.ZodObject, direction: Direction): Record<string, unknown> {
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>);
  const values = new Map(fields.map(([name, field]) => [name, exampleOf(field, direction, name)]));
  const taken = (names: readonly string[]) =>
    Object.fromEntries(fields.flatMap(([name]) => (names.includes(name) ? [[name, values.get(name)]] : [])));
  const fits = (names: readonly string[]) => schema.safeParse(taken(names)).success;
  const all = fields.map(([name]) => name);
  if (fits(all)) return taken(all);
  const optional = fields.flatMap(([name, field]) => (isOptional(field) ? [name] : []));
  let chosen = all.filter((name) => !optional.includes(name));
  if (!fits(chosen)) {
    const first = optional.find((name) => fits([...chosen, name]));
    if (first !== undefined) chosen = [...chosen, first];
  }
  for (const name of optional) if (!chosen.includes(name) && fits([...chosen, name])) chosen = [...chosen, name];
  return taken(chosen);
}

const firstThatFits = (schema: z.ZodType, values: unknown[]) =>
  values.slice(0, SAMPLE_CHOICES).find((value) => schema.safeParse(value).success) ?? values[0];
