import type { Selectable } from 'kysely';
import { type Db, rowsOf } from '#store/db.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';

export type Row = Selectable<Tables['api_keys']>;

const ours = (ctx: Ctx) => ctx.db.selectFrom('api_keys').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);

/** Every key of the mode, newest first. */
export const all = (ctx: Ctx) => ours(ctx).orderBy('created_at', 'desc').orderBy('id', 'desc').execute();

/** The key, locked until the commit: of two that revoke or rotate it at once the second sees what the first did. */
export const lock = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).forUpdate().executeTakeFirst();

export async function insert(ctx: Ctx, row: Row): Promise<void> {
  await ctx.db.insertInto('api_keys').values(row).execute();
  await keepSecret(ctx, row.id, row.secret_hash);
}

export const keepSecret = (ctx: Ctx, id: string, hash: string) =>
  ctx.db.insertInto('api_key_secrets').values({ secret_hash: hash, workspace_id: ctx.workspaceId, api_key_id: id }).execute();

export const dropSecret = (ctx: Ctx, hash: string) =>
  ctx.db.deleteFrom('api_key_secrets').where('workspace_id', '=', ctx.workspaceId).where('secret_hash', '=', hash).execute();

type Change = Partial<Pick<Row, 'secret_hash' | 'last_four' | 'revoked_at'>>;
export const change = (ctx: Ctx, id: string, values: Change) =>
  ctx.db
    .updateTable('api_keys')
    .set(values)
    .where('workspace_id', '=', ctx.workspaceId)
    .where('mode', '=', ctx.mode)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

/** The key whose secret has this hash, revoked or not. The only look-up without a workspace: it is what finds the workspace. */
export async function bySecretHash(db: Db, hash: string): Promise<Row | undefined> {
  const text = `
    select api_keys.* from api_key_secrets
      join api_keys on api_keys.workspace_id = api_key_secrets.workspace_id and api_keys.id = api_key_secrets.api_key_id
     where api_key_secrets.secret_hash = $1`;
  return (await rowsOf<Row>(db, text, [hash]))[0];
}

/** Note that the key was used at `now`, unless somebody noted as much since `stale`. */
export async function touch(db: Db, key: { workspaceId: string; id: string }, now: Date, stale: Date): Promise<void> {
  const text = `update api_keys set last_used_at = $3 where workspace_id = $1 and id = $2 and (last_used_at is null or last_used_at <= $4)`;
  await rowsOf(db, text, [key.workspaceId, key.id, now, stale]);
}
