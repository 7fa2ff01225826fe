// Row-level security: PostgreSQL itself shows a caller's connection nothing but the rows of its workspace and mode, whatever the statement says.
import pg from 'pg';

/** The role of callers, named after the user that owns the tables, so that two services of one server do not share it. */
export const TENANT_ROLE = `left(session_user, 50) || '_tenant'`;
/** The settings of a connection that say on whose behalf it is. */
export const WORKSPACE_SETTING = 'postrider.workspace_id';
export const MODE_SETTING = 'postrider.mode';

export type Wall = { raised: true } | { raised: false; because: string };

/** Tables of a tenant: those with a workspace_id, and the workspaces themselves. What they need is a role that may, and one policy. */
const TABLES = `
  with tables as (
    select c.oid, c.relname, c.relrowsecurity, workspace.attname is null as is_workspaces, mode.attname is not null as has_mode
      from pg_class c
      left join pg_attribute workspace on workspace.attrelid = c.oid and workspace.attname = 'workspace_id' and not workspace.attisdropped
      left join pg_attribute mode on mode.attrelid = c.oid and mode.attname = 'mode' and not mode.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and (workspace.attname is not null or c.relname = 'workspaces'))
  select oid::regclass::text as name, is_workspaces, has_mode
    from tables
   where not relrowsecurity
      or not exists (select from pg_policy where polrelid = tables.oid and polname = case when has_mode then 'tenant_and_mode' else 'tenant' end)
      or not has_table_privilege($1, tables.oid, 'select')
   order by relname collate "C"`;
type Table = { name: string; is_workspaces: boolean; has_mode: boolean };

/**
 * Raise the wall, or the parts of it that are missing: the role of callers, and a policy on every tenant's table. What the database user may not
 * do is left undone; `wallOf` tells. Throws when the service itself would stand before the wall.
 */
export async function raiseWall(client: pg.Client): Promise<void> {
  await requireSight(client);
  const role = await roleOf(client);
  await allowed(client, `create role ${role.quoted} nologin`, ['42710', '23505']);
  if ((await client.query('select from pg_roles where rolname = $1', [role.name])).rowCount === 0) return;
  if (!(await maySet(client, role.quoted))) await allowed(client, `grant ${role.quoted} to session_user`);
  const { rows } = await client.query<Table>(TABLES, [role.name]);
  if (rows.length) await allowed(client, rows.map((table) => statementsFor(table, role.quoted)).join(''));
}

/** The loops read across tenants: before the wall they would find nothing to do, and nobody would know why. */
async function requireSight(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relrowsecurity and row_security_active(oid) limit 1`,
  );
  if (rows[0]) throw new Error(`The database user does not see every row of ${rows[0].name}: let it own the tables, or give it bypassrls.`);
}

/** One text is one transaction: a table is never open to the role without its policy. */
function statementsFor({ name, is_workspaces: isWorkspaces, has_mode: hasMode }: Table, role: string): string {
  const own = `${isWorkspaces ? 'id' : 'workspace_id'} = current_setting('${WORKSPACE_SETTING}', true)`;
  const rule = hasMode ? `${own} and mode = current_setting('${MODE_SETTING}', true)` : own;
  return `
    alter table ${name} enable row level security;
    drop policy if exists tenant on ${name};
    drop policy if exists tenant_and_mode on ${name};
    create policy ${hasMode ? 'tenant_and_mode' : 'tenant'} on ${name} using (${rule}) with check (${rule});
    grant select, insert, update, delete on ${name} to ${role};`;
}

/** Whether the wall stands whole, and where not, what the operator can do. */
export async function wallOf(url: string): Promise<Wall> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const because = await gapIn(client);
    return because === undefined ? { raised: true } : { raised: false, because };
  } finally {
    await client.end();
  }
}

async function gapIn(client: pg.Client): Promise<string | undefined> {
  const { name, quoted, user } = await roleOf(client);
  const { rows } = await client.query<{ bypasses: boolean }>('select rolsuper or rolbypassrls as bypasses from pg_roles where rolname = $1', [name]);
  const grant = `grant ${quoted} to ${user};`;
  if (!rows[0])
    return `The database user may not create the role ${name}. Let an administrator run: create role ${quoted} nologin; ${grant} Then start again.`;
  if (rows[0].bypasses) return `The role ${name} bypasses row-level security: take superuser and bypassrls from it.`;
  if (!(await maySet(client, quoted))) return `The database user may not act as ${name}. Let an administrator run: ${grant} Then start again.`;
  const { rows: open } = await client.query<Table>(TABLES, [name]);
  return open[0] && `The table ${open[0].name} has no policy: the database user must own the tables.`;
}

async function roleOf(client: pg.Client): Promise<{ name: string; quoted: string; user: string }> {
  const text = `select ${TENANT_ROLE} as name, quote_ident(${TENANT_ROLE}) as quoted, quote_ident(session_user) as user`;
  return (await client.query<{ name: string; quoted: string; user: string }>(text)).rows[0]!;
}

const INSUFFICIENT = '42501';
const NO_SUCH_ROLE = ['22023', '42704'];
const codeOf = (error: unknown) => (error instanceof pg.DatabaseError ? (error.code ?? '') : '');

/** Run a statement for which the user may lack the right, or whose outcome (errors `fine`) another process may have brought about already. */
async function allowed(client: pg.Client, text: string, fine: readonly string[] = []): Promise<void> {
  try {
    await client.query(text);
  } catch (error) {
    if (![INSUFFICIENT, ...fine].includes(codeOf(error))) throw error;
  }
}

async function maySet(client: pg.Client, role: string): Promise<boolean> {
  try {
    await client.query(`set role ${role}`);
    await client.query('reset role');
    return true;
  } catch (error) {
    if ([INSUFFICIENT, ...NO_SUCH_ROLE].includes(codeOf(error))) return false;
    throw error;
  }
}
