import { rowsOf } from '#store/db.ts';
import { markAll } from '#resources/variant-races/index.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Row } from './store.ts';

/** A recipient of a sandbox inbox opened a mail, or followed `url` in it. */
export type Look = { sendId: string; kind: Row['kind']; url: string | null };
export type Kept = Pick<Row, 'send_id' | 'kind' | 'is_first' | 'made_by' | 'because'>;

const BECAUSE = 'A recipient of a sandbox inbox did it.';

/** Keep what simulated readers did, as a person's hits: many in one go, each kind once for a send. Answers what was kept. */
export async function keepLooks(ctx: Ctx, looks: readonly Look[]): Promise<Kept[]> {
  // Hits of one send one after the other, also those that come by its links: a statement of its own, so that the next one sees them.
  await rowsOf(ctx.db, 'select 1 from sends where workspace_id = $1 and id = any($2) order by id for no key update', [
    ctx.workspaceId,
    looks.map((one) => one.sendId),
  ]);
  const kept = await rowsOf<Kept & Pick<Row, 'nth'>>(
    ctx.db,
    `insert into hits (workspace_id, mode, send_id, nth, kind, url, made_by, because, is_first, at)
     select $1, $2, t.send_id,
            coalesce((select max(h.nth) from hits h where h.workspace_id = $1 and h.send_id = t.send_id), 0)
              + row_number() over (partition by t.send_id order by t.place),
            t.kind, t.url, 'human', $6,
            not exists (select from hits h where h.workspace_id = $1 and h.send_id = t.send_id and h.kind = t.kind and h.is_first), $7
       from unnest($3::text[], $4::text[], $5::text[]) with ordinality as t (send_id, kind, url, place)
     returning send_id, nth, kind, is_first, made_by, because`,
    [ctx.workspaceId, ctx.mode, looks.map((one) => one.sendId), looks.map((one) => one.kind), looks.map((one) => one.url), BECAUSE, ctx.now],
  );
  const first = kept.filter((one) => one.is_first);
  await markAll(
    ctx,
    first.map(({ send_id, kind, nth }) => ({
      workspace_id: ctx.workspaceId, send_id, kind: kind === 'open' ? ('opened' as const) : ('clicked' as const), nth,
    })), // prettier-ignore
  );
  return kept;
}
