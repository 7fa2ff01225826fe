// The TypeScript types of the SDK, out of the OpenAPI document that the service itself answers with.

type Json = Record<string, unknown>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const HEAD = '// Generated from the OpenAPI document by server/tools/sdk-types.ts. Do not edit.\n';
const MAX_LINE = 120;

/**
 * Every schema under components as an exported type of its name, then for each operation, by operationId: `<Operation>Body` (JSON, else
 * the first media type), `<Operation>Query` and `<Operation>Result` (its 2xx answers), each where there is one. The same document gives
 * the same text, whatever the order of its keys. Throws when two types would share a name.
 */
export function sdkTypes(openapi: object): string {
  const document = openapi as Json;
  const types = new Map<string, string>();
  const add = (name: string, schema: unknown) => {
    if (types.has(name)) throw new Error(`Two types would be called ${name}.`);
    const described = objectAt(schema)['description'];
    types.set(name, `${comment(described, '')}export type ${name} = ${typeOf(schema, '')};\n`);
  };
  for (const [name, schema] of sorted(at(document, 'components', 'schemas'))) add(typeName(name), schema);
  for (const [operationId, operation] of operationsOf(document)) {
    for (const [part, schema] of partsOf(operation, document)) add(typeName(operationId) + part, schema);
  }
  return [HEAD, ...types.values()].join('\n').replace(/ +$/gm, '');
}

function operationsOf(document: Json): [string, Json][] {
  const operations = Object.values(at(document, 'paths')).flatMap((item) =>
    METHODS.map((method) => {
      const operation = at(objectAt(item), method);
      // Parameters may also stand at the path, for all its operations.
      return { ...operation, parameters: [...listAt(item, 'parameters'), ...listAt(operation, 'parameters')] } as Json;
    }),
  );
  const named = operations.flatMap((operation) =>
    typeof operation['operationId'] === 'string' ? [[operation['operationId'], operation] as const] : [],
  );
  return sorted(Object.fromEntries(named)) as [string, Json][];
}

function partsOf(operation: Json, document: Json): [string, unknown][] {
  const parts: [string, unknown][] = [];
  const body = schemaOf(resolved(operation['requestBody'], document));
  if (body !== undefined) parts.push(['Body', body]);
  const query = listAt(operation, 'parameters')
    .map((one) => resolved(one, document))
    .filter((one) => one['in'] === 'query');
  if (query.length > 0) {
    const properties = Object.fromEntries(query.map((one) => [String(one['name']), { description: one['description'], ...objectAt(one['schema']) }]));
    parts.push(['Query', { type: 'object', properties, required: query.filter((one) => one['required'] === true).map((one) => one['name']) }]);
  }
  const replies = sorted(at(operation, 'responses')).filter(([status]) => status.startsWith('2'));
  const results = replies.map(([, reply]) => schemaOf(resolved(reply, document))).filter((schema) => schema !== undefined);
  if (results.length > 0) parts.push(['Result', results.length === 1 ? results[0] : { anyOf: results }]);
  return parts;
}

/** The schema of a body or an answer: that of JSON, or of the first media type by name. */
function schemaOf(holder: Json): unknown {
  const content = at(holder, 'content');
  const media = content['application/json'] ?? sorted(content)[0]?.[1];
  return objectAt(media)['schema'];
}

function resolved(value: unknown, document: Json): Json {
  const ref = objectAt(value)['$ref'];
  return typeof ref === 'string' ? at(document, ...ref.replace('#/', '').split('/')) : objectAt(value);
}

/** A schema as a TypeScript type; `indent` is that of the line on which it begins. */
function typeOf(schema: unknown, indent: string): string {
  if (schema === false) return 'never';
  const { $ref, anyOf, oneOf, allOf, ...own } = objectAt(schema);
  const parts: string[] = [];
  if (typeof $ref === 'string') parts.push(typeName($ref.split('/').at(-1) ?? ''));
  for (const choice of [anyOf, oneOf]) {
    if (Array.isArray(choice))
      parts.push(
        union(
          choice.map((one) => typeOf(one, indent)),
          indent,
        ),
      );
  }
  if (Array.isArray(allOf)) parts.push(...allOf.map((one) => typeOf(one, indent)));
  const ownType = ownTypeOf(own, indent);
  // Beside alternatives, "an object" says nothing that they do not say.
  const saysMore = ownType !== 'unknown' && ownType !== 'Record<string, unknown>';
  if (saysMore || parts.length === 0) parts.push(ownType);
  return parts.length === 1 ? (parts[0] ?? 'unknown') : parts.map(grouped).join(' & ');
}

function ownTypeOf(schema: Json, indent: string): string {
  const { type, not } = schema;
  if ('const' in schema) return literal(schema['const']);
  if (Array.isArray(schema['enum'])) return union(schema['enum'].map(literal), indent);
  if (Array.isArray(type))
    return union(
      type.map((one) => ownTypeOf({ ...schema, type: one }, indent)),
      indent,
    );
  if (type === 'object' || (type === undefined && 'properties' in schema)) return objectType(schema, indent);
  if (type === 'array') return arrayType(schema, indent);
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  const isNever = not !== undefined && Object.keys(objectAt(not)).length === 0;
  return isNever ? 'never' : 'unknown';
}

function objectType({ properties, required, additionalProperties }: Json, indent: string): string {
  const inner = `${indent}  `;
  const names = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(objectAt(properties)).map(([name, schema]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
    return `${comment(objectAt(schema)['description'], inner)}${inner}${key}${names.has(name) ? '' : '?'}: ${typeOf(schema, inner)};\n`;
  });
  const rest = additionalProperties === false ? 'never' : typeOf(additionalProperties, indent);
  if (fields.length === 0) return `Record<string, ${rest}>`;
  const known = `{\n${fields.join('')}${indent}}`;
  // Other properties may be of any type here: an index signature must also fit the known ones.
  return additionalProperties === undefined || additionalProperties === false ? known : `${known} & Record<string, unknown>`;
}

function arrayType({ items, prefixItems }: Json, indent: string): string {
  if (!Array.isArray(prefixItems)) return `${grouped(typeOf(items, indent))}[]`;
  const rest = items === undefined || items === false ? [] : [`...${grouped(typeOf(items, indent))}[]`];
  return `[${[...prefixItems.map((one) => typeOf(one, indent)), ...rest].join(', ')}]`;
}

/** Alternatives, each once; on lines of their own where one line would be too long. */
function union(types: string[], indent: string): string {
  const each = [...new Set(types)];
  if (each.includes('unknown')) return 'unknown';
  const line = each.join(' | ');
  const isLong = !line.includes('\n') && line.length > MAX_LINE;
  return isLong ? each.map((one) => `\n${indent}  | ${one}`).join('') : line || 'never';
}

/** A type that may stand beside `&` or before `[]`. */
const grouped = (type: string) => (/^(\w+|'[^']*'|\{[^{}]*\}|Record<string, \w+>|[\w[\]]+)$/.test(type) ? type : `(${type})`);

const literal = (value: unknown) =>
  typeof value === 'string' ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : JSON.stringify(value);

function comment(text: unknown, indent: string): string {
  if (typeof text !== 'string' || text.trim() === '') return '';
  const lines = text
    .trim()
    .replaceAll('*/', '*\\/')
    .split(/\s*\n\s*/);
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

/** `listContacts` → `ListContacts`; what no TypeScript name may hold separates words. */
const typeName = (name: string) =>
  name
    .split(/[^A-Za-z0-9_]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

const objectAt = (value: unknown): Json => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {});
const at = (value: Json, ...names: string[]) => names.reduce((inner, name) => objectAt(inner[name]), value);
const listAt = (value: unknown, name: string): unknown[] => {
  const list = objectAt(value)[name];
  return Array.isArray(list) ? list : [];
};
const sorted = (value: Json) => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
