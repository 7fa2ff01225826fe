import { found } from '#platform/refusal.ts';
import { rowsOf } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';
import { MAY_SEND, capLeft, dayAt } from './rules.ts';
import * as store from './store.ts';

export type Unit = { unit: number; send_id: string | null };
export type Budget = { inbox: store.Row; day: ReturnType<typeof dayAt>; left: number; nextFreeAt: Date | null; units: Unit[] };

/** The sending day of an inbox: which send took which unit of its cap, and when it may send next (null while its state forbids it). */
export async function budgetOf(ctx: Ctx, id: string): Promise<Budget> {
  const inbox = found(await store.byId(ctx, id), 'inbox');
  const day = dayAt(inbox, ctx.now);
  const units = await rowsOf<Unit>(
    ctx.db,
    'select unit, send_id from budget_units where workspace_id = $1 and inbox_id = $2 and day = $3 order by unit',
    [ctx.workspaceId, id, day.day_started_at],
  );
  const left = capLeft(inbox, ctx.now);
  const soonest = left > 0 ? Math.max(ctx.now.getTime(), inbox.next_send_at.getTime(), inbox.retry_at?.getTime() ?? 0) : day.day_resets_at.getTime();
  const maySend = (MAY_SEND as readonly string[]).includes(inbox.status);
  return { inbox, day, left, nextFreeAt: maySend ? new Date(soonest) : null, units };
}
