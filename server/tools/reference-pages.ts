// docs/api: one page for each noun, out of the OpenAPI document, and the table of errors.
import { errorsMarkdown } from '#web/error-pages.ts';

type Json = Record<string, unknown>;
type Operation = { method: string; path: string; one: Json };

const HEAD = '<!-- Made from the declarations of the routes by `npm run golden`. Do not edit. -->\n';

/** The pages by their names: `contacts.md`, …, `errors.md` and `README.md`. */
export function referencePages(openapi: object): Map<string, string> {
  const document = openapi as Json;
  const tags = document['tags'] as { name: string; description?: string }[];
  const pages = new Map(tags.map((tag) => [`${fileOf(tag.name)}.md`, pageOf(document, tag)]));
  pages.set('errors.md', `${HEAD}\n# Errors\n\nHow to read them: [guide](../guides/errors.md).\n\n${errorsMarkdown()}`);
  const lines = tags.map(({ name, description = '' }) => `| [${name}](${fileOf(name)}.md) | ${cell(description)} |`);
  pages.set('README.md', `${HEAD}\n# Reference\n\n| noun | what it is |\n|---|---|\n${lines.join('\n')}\n\nEvery error: [errors.md](errors.md).\n`);
  return pages;
}

const fileOf = (tag: string) => tag.toLowerCase().replaceAll(' ', '-');

function pageOf(document: Json, { name, description = '' }: { name: string; description?: string }): string {
  const operations = operationsOf(document).filter(({ one }) => (one['tags'] as string[]).includes(name));
  const list = operations.map(({ method, path, one }) => `| \`${method} ${path}\` | ${cell(one['summary'])} | ${String(one['x-scope'])} |`);
  const parts = operations.map((operation) => section(document, operation));
  const own = new Set(operations.flatMap(({ one }) => shownBy(one)));
  const objects = [...own].sort().map((schema) => objectSection(document, schema));
  return [
    `${HEAD}\n# ${name}`,
    description,
    `| call | | scope |\n|---|---|---|\n${list.join('\n')}`,
    ...parts,
    ...objects,
  ].join('\n\n').concat('\n'); // prettier-ignore
}

function operationsOf(document: Json): Operation[] {
  return Object.entries(document['paths'] as Record<string, Record<string, Json>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]) => ({ method: method.toUpperCase(), path, one })),
  );
}

/** The named schemas that an operation answers with, themselves or in a list. */
function shownBy(one: Json): string[] {
  const replies = Object.entries(one['responses'] as Record<string, Json>).filter(([status]) => status.startsWith('2'));
  return replies.flatMap(([, reply]) => {
    const schema = jsonOf(reply)['schema'] as Json;
    const item = ((schema['properties'] as Record<string, Json> | undefined)?.['data']?.['items'] ?? schema) as Json;
    return typeof item['$ref'] === 'string' ? [item['$ref'].split('/').at(-1)!] : [];
  });
}

const jsonOf = (holder: Json) => (holder['content'] as Record<string, Json>)['application/json']!;

function section(document: Json, { method, path, one }: Operation): string {
  const parameters = ((one['parameters'] ?? []) as Json[]).filter((parameter) => parameter['name'] !== 'Idempotency-Key');
  const parts = [`## ${String(one['summary']).replace(/\.$/, '')}`, `\`${method} ${path}\``, String(one['description'])];
  const given = parameters.map((parameter) => parameterRow(document, parameter));
  if (given.length > 0) parts.push(table(['parameter', 'in', 'form', ''], given));
  const body = one['requestBody'] as Json | undefined;
  if (body) {
    const { schema, example } = jsonOf(body);
    const rows = fieldsOf(document, schema as Json);
    if (rows.length > 0) parts.push(table(['field', 'form', '', ''], rows));
    parts.push(code({ method, path, body: example }));
  }
  for (const [status, reply] of Object.entries(one['responses'] as Record<string, Json>)) {
    if (status.startsWith('2')) parts.push(`Answers ${status}:`, `\`\`\`json\n${JSON.stringify(jsonOf(reply)['example'], null, 2)}\n\`\`\``);
  }
  const codes = Object.entries(one['responses'] as Record<string, Json>).flatMap(([status, reply]) =>
    ((reply['x-codes'] ?? []) as string[]).map((name) => `[\`${name}\`](errors.md#${name}) (${status})`),
  );
  parts.push(`Refusals: ${codes.join(', ')}.`);
  return parts.join('\n\n');
}

function code({ method, path, body }: { method: string; path: string; body: unknown }): string {
  const headers = `-H "Authorization: Bearer $KEY" -H 'Content-Type: application/json'`;
  return `\`\`\`sh\ncurl -X ${method} "$BASE_URL${path}" ${headers} -d @- <<'JSON'\n${JSON.stringify(body, null, 2)}\nJSON\n\`\`\``;
}

const parameterRow = (document: Json, parameter: Json) => [
  `\`${String(parameter['name'])}\`${parameter['required'] === true ? ' (required)' : ''}`,
  String(parameter['in']),
  formOf(document, parameter['schema'] as Json),
  cell(parameter['description'] ?? (parameter['schema'] as Json)['description']),
];

function objectSection(document: Json, name: string): string {
  const schema = (document['components'] as { schemas: Record<string, Json> }).schemas[name]!;
  return `## The object: ${name}\n\n${table(['field', 'form', '', ''], fieldsOf(document, schema))}`;
}

/** Rows of a table: the fields of an object, those of objects inside it with their path. */
function fieldsOf(document: Json, schema: Json, prefix = '', depth = 0): string[][] {
  const properties = (schema['properties'] ?? {}) as Record<string, Json>;
  const required = new Set((schema['required'] ?? []) as string[]);
  return Object.entries(properties).flatMap(([name, field]) => {
    const row = [`\`${prefix}${name}\``, formOf(document, field), required.has(name) ? 'required' : '', cell(field['description'])];
    return [row, ...(depth < 2 ? fieldsOf(document, field, `${prefix}${name}.`, depth + 1) : [])];
  });
}

/** A schema in a few words: `string or null`, `integer 1–500`, `array of [Send]`. */
function formOf(document: Json, schema: Json): string {
  if (typeof schema['$ref'] === 'string') return named(document, schema['$ref'].split('/').at(-1)!);
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  if (choices) return [...new Set(choices.map((one) => formOf(document, one)))].join(' or ');
  if ('const' in schema) return `\`${String(schema['const'])}\``;
  if (Array.isArray(schema['enum'])) return schema['enum'].map((one) => `\`${String(one)}\``).join(', ');
  const { type, items, format, minimum, maximum } = schema;
  if (type === 'array') return `array of ${formOf(document, (items ?? {}) as Json)}`;
  const kind = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'anything';
  const range = [minimum, maximum].some((one) => typeof one === 'number' && Math.abs(one) < 2 ** 40) ? ` ${edge(minimum)}–${edge(maximum)}` : '';
  return `${kind}${typeof format === 'string' ? ` (${format})` : ''}${range}`;
}

const edge = (value: unknown) => (typeof value === 'number' && Math.abs(value) < 2 ** 40 ? String(value) : '');

/** A component by its name, or by its values where it is a short list of words. */
function named(document: Json, name: string): string {
  const schema = (document['components'] as { schemas: Record<string, Json> }).schemas[name] ?? {};
  return Array.isArray(schema['enum']) && schema['enum'].length <= 8 ? formOf(document, schema) : name;
}

const table = (head: string[], rows: string[][]) =>
  `| ${head.join(' | ')} |\n|${head.map(() => '---').join('|')}|\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}`;

const cell = (text: unknown) => (typeof text === 'string' ? text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|') : '');
