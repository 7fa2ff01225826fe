// Files that go with sends. A file is kept once in a workspace, under its hash; the sends name it.
import { createHash } from 'node:crypto';
import { rowsOf } from '#store/db.ts';
import type { Ctx, World } from '#world/ctx.ts';
import type { Attachment } from './attachments-wire.ts';
import type { Letter } from './store.ts';

/** An attachment as a send names it. */
export type Named = { filename: string; content_type: string; sha256: string };

const KEEP_MS = 30 * 24 * 3_600_000;

// In the order of their hashes, so that two calls with the same files do not wait for each other in a circle. Marking a known file as used locks
// it: whoever would drop it sees the mark.
const TOUCH = `
  with mine as (select sha256 from attachments where workspace_id = $1 and sha256 = any($2) order by sha256 for no key update)
  update attachments a set used_at = greatest(a.used_at, $3) from mine where a.workspace_id = $1 and a.sha256 = mine.sha256 returning a.sha256`;
const INSERT = `
  insert into attachments (workspace_id, sha256, content, used_at) values ($1, $2, $3, $4)
  on conflict (workspace_id, sha256) do update set used_at = greatest(attachments.used_at, excluded.used_at)`;

/** Keep files, and answer how a send names each of them. A file that is known is not written again. */
export async function keepFiles(ctx: Ctx, files: readonly Attachment[]): Promise<Map<Attachment, Named>> {
  const named = new Map(
    files.map((file) => [
      file,
      { filename: file.filename, content_type: file.content_type, sha256: createHash('sha256').update(file.content).digest('hex') },
    ]),
  );
  const contents = new Map([...named].map(([file, { sha256 }]) => [sha256, file.content]));
  const hashes = [...contents.keys()].sort();
  const known = new Set((await rowsOf<Named>(ctx.db, TOUCH, [ctx.workspaceId, hashes, ctx.now])).map((row) => row.sha256));
  for (const hash of hashes) if (!known.has(hash)) await rowsOf(ctx.db, INSERT, [ctx.workspaceId, hash, contents.get(hash), ctx.now]);
  return named;
}

/** The files that go with a send. */
export async function filesOf(world: World, send: Pick<Letter, 'workspace_id' | 'id' | 'attachments'>) {
  const named = (send.attachments ?? []) as Named[];
  if (named.length === 0) return [];
  const rows = await rowsOf<{ sha256: string; content: Buffer }>(
    world.db,
    'select sha256, content from attachments where workspace_id = $1 and sha256 = any($2)',
    [send.workspace_id, named.map((one) => one.sha256)],
  );
  const contents = new Map(rows.map((row) => [row.sha256, row.content]));
  return named.map(({ filename, content_type: contentType, sha256 }) => {
    const content = contents.get(sha256);
    if (!content) throw new Error(`A file of ${send.id} is gone.`);
    return { filename, contentType, content };
  });
}

const FORGET = `
  with old as (
    select workspace_id, sha256,
           exists (select 1 from send_contents c join sends s on s.workspace_id = c.workspace_id and s.id = c.send_id
                    where c.workspace_id = a.workspace_id and s.is_open
                      and c.attachments @> jsonb_build_array(jsonb_build_object('sha256', a.sha256))) as needed
      from attachments a where used_at < $1 order by used_at limit 100 for update skip locked
  ), kept as (
    update attachments a set used_at = $2 from old where old.needed and a.workspace_id = old.workspace_id and a.sha256 = old.sha256
  )
  delete from attachments a using old where not old.needed and a.workspace_id = old.workspace_id and a.sha256 = old.sha256`;

/** Drop files that no send of the last 30 days and none that is still to leave goes with. */
export async function forgetFiles(world: World): Promise<void> {
  const now = world.clock.now();
  await rowsOf(world.db, FORGET, [new Date(now.getTime() - KEEP_MS), now]);
}
