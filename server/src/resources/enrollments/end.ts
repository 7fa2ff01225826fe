import type { Ctx } from '#world/ctx.ts';
import { type Ending, MAY_END } from './rules.ts';
import * as store from './store.ts';

/** End enrollments, as far as their state lets them: no further step is planned. Cancelling what waits is the caller's part. */
export async function endEnrollments(ctx: Ctx, ids: readonly string[], as: Ending): Promise<store.Row[]> {
  return ids.length === 0 ? [] : store.end(ctx, ids, as, MAY_END[as]);
}
