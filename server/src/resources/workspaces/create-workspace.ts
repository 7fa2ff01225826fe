import { newId } from '#platform/ids.ts';
import { inTransaction } from '#store/db.ts';
import { type World, actingFor } from '#world/ctx.ts';
import { createApiKey } from '#resources/api-keys/index.ts';
import type { Plan } from './plans.ts';
import * as store from './store.ts';

type Wanted = { name: string; plan?: Plan; slug?: string | null };

/** Make a workspace with one admin key for each mode. The secrets are in this answer and nowhere else. */
export function createWorkspace(world: World, { name, plan = 'hyper', slug = null }: Wanted) {
  return inTransaction(world, async (inside) => {
    const now = inside.clock.now();
    const workspaceId = newId(inside, 'wsp', now);
    await store.insert(inside.db, {
      id: workspaceId,
      name,
      slug,
      plan,
      plan_status: 'active',
      trial_ends_at: null,
      current_period_end: null,
      cancel_at_period_end: false,
      created_at: now,
    });
    const keyOf = async (mode: 'live' | 'test') =>
      (await createApiKey(actingFor(inside, workspaceId, mode), { name: `First ${mode} key`, scope: 'admin', mode, auto_confirm: false })).secret;
    return { workspaceId, liveKey: await keyOf('live'), testKey: await keyOf('test') };
  });
}
