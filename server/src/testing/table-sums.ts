import { type Db, rowsOf } from '#store/db.ts';

/**
 * A sum of what each table holds, by its name. Of `only` one tenant's rows, where that is given: its workspace's and mode's, and those of tables
 * that know no mode when `modeless` is true.
 */
export async function tableSums(db: Db, only?: { workspaceId: string; mode: string; modeless: boolean }): Promise<Record<string, string>> {
  const tables = await rowsOf<{ name: string; columns: string[] }>(
    db,
    `select table_name as name, array_agg(column_name::text) as columns
       from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = 'public' and table_type = 'BASE TABLE' group by 1 order by 1`,
    [],
  );
  const where = (columns: string[]) => {
    if (!only) return 'true';
    if (!columns.includes('workspace_id')) return 'false';
    return columns.includes('mode') ? 'workspace_id = $1 and mode = $2' : `workspace_id = $1 and ${only.modeless}`;
  };
  const one = ({ name, columns }: { name: string; columns: string[] }) => `
    select '${name}' as name, count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as sum
      from ${name} t where ${where(columns)}`;
  // $1 and $2 have a type even where no table asks for them.
  const text = `select * from (${tables.map(one).join(' union all ')}) all_tables where $1::text is not null or $2::text is null`;
  const rows = await rowsOf<{ name: string; sum: string }>(db, text, only ? [only.workspaceId, only.mode] : ['', '']);
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}

/** How many rows each table has gained between two sums; tables that have none more are left out. */
export function gained(before: Record<string, string>, after: Record<string, string>): Record<string, number> {
  const count = (sum: string | undefined) => Number.parseInt(sum ?? '0', 10);
  const more = Object.keys(after).map((name) => [name, count(after[name]) - count(before[name])] as const);
  return Object.fromEntries(more.filter(([, rows]) => rows !== 0));
}
