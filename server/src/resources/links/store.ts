import { rowsOf } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';

/** Keep where the links of these sends lead, in the order of their places. */
export async function keepLinks(ctx: Ctx, urls: ReadonlyMap<string, readonly string[]>): Promise<void> {
  if (urls.size === 0) return;
  await rowsOf(
    ctx.db,
    `insert into tracked_links (workspace_id, send_id, urls)
     select $1, send_id, array(select jsonb_array_elements_text(urls)) from unnest($2::text[], $3::jsonb[]) as t (send_id, urls)`,
    [ctx.workspaceId, [...urls.keys()], [...urls.values()].map((one) => JSON.stringify(one))],
  );
}

/** Where the link at this place of a send leads; undefined when there is none. */
export async function linkOf(ctx: Ctx, sendId: string, place: number): Promise<string | undefined> {
  const text = 'select urls[$3] as url from tracked_links where workspace_id = $1 and send_id = $2';
  return (await rowsOf<{ url: string | null }>(ctx.db, text, [ctx.workspaceId, sendId, place + 1]))[0]?.url ?? undefined;
}
