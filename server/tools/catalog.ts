// What a migrated database looks like, read from PostgreSQL's catalog.
import type pg from 'pg';

export type Column = { name: string; type: string; required: boolean; fallback: string | null; collation: string | null };
export type Table = { name: string; columns: Column[]; constraints: string[]; indexes: string[]; triggers: string[]; policies: string[] };

const TABLES = `select c.oid, c.relname as name from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by c.relname collate "C"`;
const COLUMNS = `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
    coalesce(pg_get_expr(d.adbin, d.adrelid), nullif('identity ' || a.attidentity::text, 'identity ')) as fallback,
    nullif(o.collname, 'default') as collation
  from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum left join pg_collation o on o.oid = a.attcollation
  where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`;
// Not-null constraints are told by their columns; before PostgreSQL 18 they were no constraints at all.
const CONSTRAINTS = `select conname || ' ' || pg_get_constraintdef(oid) as line from pg_constraint where conrelid = $1 and contype <> 'n'`;
const INDEXES = `select pg_get_indexdef(indexrelid) as line from pg_index where indrelid = $1
  and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))`;
const TRIGGERS = `select pg_get_triggerdef(oid) as line from pg_trigger where tgrelid = $1 and not tgisinternal`;
const POLICIES = `select format('policy %s%s for %s to %s using (%s) with check (%s)', polname,
    case when polpermissive then '' else ' as restrictive' end, polcmd,
    (select string_agg(case r when 0 then 'public' else r::regrole::text end, ', ') from unnest(polroles) r),
    pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) as line from pg_policy where polrelid = $1
  union all select 'row level security' || case when relforcerowsecurity then ', forced' else '' end from pg_class where oid = $1 and relrowsecurity`;
const FUNCTIONS = `select pg_get_functiondef(oid) as line from pg_proc where pronamespace = 'public'::regnamespace and prokind in ('f', 'p')`;

/** All tables of the schema `public`, sorted by name; columns in their order, everything else sorted. */
export async function readTables(client: pg.Client): Promise<Table[]> {
  const tables: Table[] = [];
  for (const { oid, name } of (await client.query<{ oid: number; name: string }>(TABLES)).rows) {
    const lines = async (query: string) => sorted((await client.query<{ line: string }>(query, [oid])).rows);
    const { rows: columns } = await client.query<Column>(COLUMNS, [oid]);
    const [constraints, indexes] = [await lines(CONSTRAINTS), await lines(INDEXES)];
    tables.push({ name, columns, constraints, indexes, triggers: await lines(TRIGGERS), policies: await lines(POLICIES) });
  }
  return tables;
}

/** The schema as text, the same on every machine: for reading and for comparing, not for running. */
export async function schemaText(client: pg.Client): Promise<string> {
  const tables = (await readTables(client)).map(({ name, columns, ...rest }) => {
    const widest = Math.max(...columns.map((column) => column.name.length));
    const lines = columns.map((column) => `${column.name.padEnd(widest)}  ${columnText(column)}`);
    const inside = [...lines, ...rest.constraints.map((one) => `constraint ${one}`)];
    const after = [...rest.indexes, ...rest.triggers, ...rest.policies.map((one) => `-- on ${name}: ${one}`)];
    return `create table ${name} (\n${inside.map((line) => `  ${line}`).join(',\n')}\n);\n${after.map((line) => `${line};\n`).join('')}`;
  });
  const functions = sorted((await client.query<{ line: string }>(FUNCTIONS)).rows);
  return `-- The schema after all migrations. Written by \`npm run golden\`; do not edit.\n\n${[...tables, ...functions].join('\n')}`;
}

const columnText = ({ type, required, fallback, collation }: Column) =>
  [type, collation && `collate "${collation}"`, required && 'not null', fallback && `default ${fallback}`].filter(Boolean).join(' ');

const sorted = (rows: { line: string }[]) => rows.map(({ line }) => line).toSorted();

const TYPES: Record<string, string> = {
  text: 'string',
  'character varying': 'string',
  uuid: 'string',
  boolean: 'boolean',
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  'double precision': 'number',
  real: 'number',
  numeric: 'string',
  date: 'string',
  'timestamp with time zone': 'Date',
  json: 'Json',
  jsonb: 'Json',
  bytea: 'Buffer',
};

/** Kysely's table types. A column with a check of the form `in (…)` is the union of its words. Throws on a type that has no translation. */
export async function tablesSource(client: pg.Client): Promise<string> {
  const tables = (await readTables(client)).map(({ name, columns, constraints }) => {
    const lines = columns.map((column) => `    ${column.name}: ${typeOf(name, column, constraints)};\n`);
    return `  ${name}: {\n${lines.join('')}  };\n`;
  });
  const body = tables.join('');
  const head = '// Generated from the migrated database by `npm run golden`. Do not edit.\n';
  const generated = body.includes('Generated<') ? "import type { Generated } from 'kysely';\n\n" : '';
  const json = 'export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };\n';
  return `${head}${generated}${json}\nexport type Tables = {\n${body}};\n`;
}

function typeOf(table: string, { name, type, required, fallback }: Column, constraints: string[]): string {
  const one = type.replace('[]', '');
  const plain = wordsOf(name, constraints) ?? TYPES[one];
  if (!plain) throw new Error(`${table}.${name}: no TypeScript type stands for ${type}; add it to tools/catalog.ts.`);
  const list = type.endsWith('[]') ? `${plain.includes('|') ? `(${plain})` : plain}[]` : plain;
  const whole = required ? list : `${list} | null`;
  return fallback ? `Generated<${whole}>` : whole;
}

/** PostgreSQL writes `in ('a', 'b')` back as `= ANY (ARRAY['a'::text, 'b'::text])`, and a single word as `= 'a'::text`. */
function wordsOf(column: string, constraints: string[]): string | undefined {
  const text = `'(?:[^']|'')*'::text`;
  const check = new RegExp(` CHECK \\(\\(${column} = (?:ANY \\(ARRAY\\[(${text}(?:, ${text})*)\\]\\)|(${text}))\\)\\)$`);
  const found = constraints.map((one) => check.exec(one)).find((one) => one !== null);
  const words = found && (found[1] ?? found[2] ?? '').matchAll(/'((?:[^']|'')*)'::text/g);
  return words && [...words].map(([, word = '']) => `'${word.replaceAll("''", "\\'")}'`).join(' | ');
}
