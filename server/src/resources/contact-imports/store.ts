import type { Selectable } from 'kysely';
import { json, rowsOf } from '#store/db.ts';
import { type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { RefusalCode } from '#platform/refusal.ts';
import type { Ctx, World } from '#world/ctx.ts';

/** A row that was not imported, as it is kept. */
export type KeptError = { row: number; email: string; column: string | null; code: RefusalCode; message: string };
export type Row = Selectable<Tables['contact_imports']>;

const ours = (ctx: Ctx) => ctx.db.selectFrom('contact_imports').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);

export const byId = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).executeTakeFirst();

export const list = (ctx: Ctx, paging: PageParams) => page(ours(ctx), paging, 'imp', (id) => byId(ctx, id));

export const insert = (ctx: Ctx, row: Row) =>
  ctx.db
    .insertInto('contact_imports')
    .values({ ...row, errors: json(row.errors) })
    .returningAll()
    .executeTakeFirstOrThrow();

/** Change an import that a worker carries out; undefined, and nothing written, when its fence is no longer the row's. */
export const saveMine = (ctx: Ctx, { id, fence }: Pick<Row, 'id' | 'fence'>, values: Partial<Row>) =>
  ctx.db
    .updateTable('contact_imports')
    .set(values)
    .where('workspace_id', '=', ctx.workspaceId)
    .where('mode', '=', ctx.mode)
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('due_at', 'is not', null)
    .returningAll()
    .executeTakeFirst();

const PART = 1024 * 1024;

/** Keep a file in parts: neither side then has to turn all of it into text at once. */
export async function insertFile(ctx: Ctx, importId: string, file: Buffer): Promise<void> {
  const text = 'insert into contact_import_parts (workspace_id, import_id, part, content) values ($1, $2, $3, $4)';
  for (let part = 0; part * PART < file.length; part++) {
    await rowsOf(ctx.db, text, [ctx.workspaceId, importId, part, file.subarray(part * PART, (part + 1) * PART)]);
  }
}

/** The file of an import that waits. */
export async function fileOf(ctx: Ctx, importId: string): Promise<Buffer> {
  const text = 'select content from contact_import_parts where workspace_id = $1 and import_id = $2 and part = $3';
  const parts: Buffer[] = [];
  for (;;) {
    const [row] = await rowsOf<{ content: Buffer }>(ctx.db, text, [ctx.workspaceId, importId, parts.length]);
    if (!row) return Buffer.concat(parts);
    parts.push(row.content);
  }
}

export const removeFile = (ctx: Ctx, importId: string) =>
  ctx.db.deleteFrom('contact_import_parts').where('workspace_id', '=', ctx.workspaceId).where('import_id', '=', importId).execute();

type Claim = { holder: string; limit: number; leasedUntil: Date };

/** Take up to `limit` imports that are due and that nobody holds. Each gets a new fence, so that whoever held it before can write no more. */
export function claimDue(world: World, { holder, limit, leasedUntil }: Claim): Promise<Row[]> {
  const text = `
    with due as (
      select workspace_id, id, fence from contact_imports
       where due_at <= $1 and (leased_until is null or leased_until <= $1) order by due_at, id limit $2
    )
    update contact_imports i
       set fence = i.fence + 1, attempt_count = i.attempt_count + 1, lease_holder = $3, leased_until = $4
      from due
     where i.workspace_id = due.workspace_id and i.id = due.id and i.fence = due.fence and i.due_at <= $1
    returning i.*`;
  return rowsOf<Row>(world.db, text, [world.clock.wall(), limit, holder, leasedUntil]);
}

/** Leases whose holder is known to be gone need not run out. */
export async function freeLeasesOf(world: World, isGone: (holder: string) => boolean): Promise<void> {
  const text = 'select distinct lease_holder as holder from contact_imports where due_at is not null and lease_holder is not null';
  const gone = (await rowsOf<{ holder: string }>(world.db, text, [])).map((row) => row.holder).filter(isGone);
  if (gone.length === 0) return;
  await rowsOf(world.db, 'update contact_imports set lease_holder = null, leased_until = null where due_at is not null and lease_holder = any($1)', [
    gone,
  ]);
}

/** Give an import back, to be taken up again at `dueAt`. */
export const giveBack = (ctx: Ctx, job: Row, dueAt: Date) => saveMine(ctx, job, { due_at: dueAt, lease_holder: null, leased_until: null });
