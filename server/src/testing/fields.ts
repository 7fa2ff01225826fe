// Which fields an answer may have, and which it has: by the name of the schema, so that a contact counts wherever it is shown.
import type { z } from 'zod';

type Def = z.core.$ZodTypes['_zod']['def'];

const defOf = (schema: z.ZodType): Def => (schema as unknown as z.core.$ZodTypes)._zod.def;

function unwrapped(schema: z.ZodType): z.ZodType {
  const def = defOf(schema) as { innerType?: z.ZodType };
  return def.innerType ? unwrapped(def.innerType) : schema;
}

/** Where the fields of an object are counted: at its own name, lists all at one, others where they stand. */
function baseOf(schema: z.ZodType, path: string, shape: Record<string, z.ZodType>): string {
  const id = schema.meta()?.['id'];
  if (typeof id === 'string') return id;
  const kind = shape['object'];
  const isList = kind !== undefined && defOf(kind).type === 'literal' && (defOf(kind) as { values: unknown[] }).values[0] === 'list';
  return isList ? 'List' : path;
}

/** Every field that `schema` declares. */
export function declaredFields(schema: z.ZodType, path: string, into = new Set<string>()): Set<string> {
  const inner = unwrapped(schema);
  const def = defOf(inner);
  if (def.type === 'array') declaredFields(def.element as z.ZodType, path, into);
  if (def.type === 'union') for (const one of def.options as z.ZodType[]) declaredFields(one, path, into);
  if (def.type !== 'object') return into;
  const shape = def.shape as Record<string, z.ZodType>;
  const base = baseOf(inner, path, shape);
  for (const [name, field] of Object.entries(shape)) {
    // What can only be null will never hold anything.
    if (defOf(field).type === 'null') continue;
    const here = `${base}.${name}`;
    const isNew = !into.has(here);
    into.add(here);
    if (isNew || base === 'List') declaredFields(field, here, into);
  }
  return into;
}

/** The fields of `value` that hold something: not null, not absent. */
export function filledFields(schema: z.ZodType, value: unknown, path: string, into: Set<string>): void {
  const inner = unwrapped(schema);
  const def = defOf(inner);
  if (def.type === 'array' && Array.isArray(value)) for (const one of value) filledFields(def.element as z.ZodType, one, path, into);
  if (def.type === 'union') {
    const fitting = (def.options as z.ZodType[]).find((one) => one.safeParse(value).success);
    if (fitting) filledFields(fitting, value, path, into);
  }
  if (def.type !== 'object' || typeof value !== 'object' || value === null) return;
  const shape = def.shape as Record<string, z.ZodType>;
  const base = baseOf(inner, path, shape);
  for (const [name, field] of Object.entries(shape)) {
    const held = (value as Record<string, unknown>)[name];
    if (held === undefined || held === null) continue;
    into.add(`${base}.${name}`);
    filledFields(field, held, `${base}.${name}`, into);
  }
}

/** The schemas that carry a name, by it. */
export function namedSchemas(schema: z.ZodType, into = new Map<string, z.ZodType>()): Map<string, z.ZodType> {
  const inner = unwrapped(schema);
  const id = inner.meta()?.['id'];
  if (typeof id === 'string') {
    if (into.has(id)) return into;
    into.set(id, inner);
  }
  const def = defOf(inner);
  if (def.type === 'array') namedSchemas(def.element as z.ZodType, into);
  if (def.type === 'union') for (const one of def.options as z.ZodType[]) namedSchemas(one, into);
  if (def.type === 'object') for (const field of Object.values(def.shape as Record<string, z.ZodType>)) namedSchemas(field, into);
  return into;
}
