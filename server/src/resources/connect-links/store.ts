import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx, World } from '#world/ctx.ts';

export type Row = Selectable<Tables['connect_links']>;

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export const insert = (ctx: Ctx, row: Omit<Row, 'workspace_id' | 'mode'>) =>
  ctx.db
    .insertInto('connect_links')
    .values({ ...row, workspace_id: ctx.workspaceId, mode: ctx.mode })
    .execute();

/** The link that a browser names: by its workspace and the hash of its token. */
export const byToken = ({ db }: World, workspaceId: string, token: string) =>
  db.selectFrom('connect_links').selectAll().where('workspace_id', '=', workspaceId).where('token_hash', '=', hashOf(token)).executeTakeFirst();
