// The API's part of moving the clock: it asks for it, and waits for the worker that does it.
import { createHash } from 'node:crypto';
import { sleep } from '#platform/clock.ts';
import { Refusal } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';
import { type AdvanceWanted, MAX_ADVANCE_DAYS } from './wire.ts';

const LOOK_EVERY_MS = 50;
/** Without a worker nobody moves the clock: how long a call waits for one. */
const WORKER_WITHIN_MS = 30_000;
const MAX_ADVANCE_MS = MAX_ADVANCE_DAYS * 86_400_000;

/**
 * Have the clock moved, and wait until it is. `key` is the caller's idempotency key: the same call again waits for the same walk. Refuses what is
 * neither one of `to` and `seconds`, or not ahead, or too far; `service_unavailable` when no worker is there.
 */
export async function advance(ctx: Ctx, wanted: AdvanceWanted, key: string | undefined) {
  if ((wanted.to === undefined) === (wanted.seconds === undefined)) {
    const [code, says] =
      wanted.to === undefined
        ? (['parameter_missing', 'Give to or seconds.'] as const)
        : (['validation_failed', 'Give to or seconds, not both.'] as const);
    throw new Refusal(code, says, { param: wanted.to === undefined ? 'seconds' : 'to' });
  }
  const id = key === undefined ? ctx.random.bytes(16).toString('hex') : createHash('sha256').update(key).digest('hex');
  const row = await walked(ctx, await begun(ctx, id, wanted));
  const seconds = (row.target_at.getTime() - row.from_at.getTime()) / 1_000;
  return { object: 'test_clock' as const, now: row.target_at.toISOString(), advanced_seconds: seconds, processed: row.processed };
}

/** Ask for the walk, as soon as no other is under way: at most one is open, by a unique index. */
async function begun(ctx: Ctx, id: string, wanted: AdvanceWanted): Promise<string> {
  for (;;) {
    if (await store.byId(ctx, id)) return id;
    if (await store.begin(ctx, id, (from) => targetOf(wanted, from))) return id;
    await sleep(ctx.clock, LOOK_EVERY_MS);
  }
}

function targetOf({ to, seconds = 0 }: AdvanceWanted, from: Date): Date {
  const target = to === undefined ? new Date(from.getTime() + seconds * 1_000) : new Date(to);
  const ahead = target.getTime() - from.getTime();
  if (ahead <= 0) throw new Refusal('validation_failed', `The clock never goes back: it shows ${from.toISOString()}.`, { param: 'to' });
  if (ahead > MAX_ADVANCE_MS)
    throw new Refusal('validation_failed', `One call moves the clock by at most ${MAX_ADVANCE_DAYS} days.`, { param: 'to' });
  return target;
}

async function walked(ctx: Ctx, id: string): Promise<store.Advance> {
  let seenAt = ctx.clock.monotonic();
  for (;;) {
    const row = await store.byId(ctx, id);
    if (row?.done_at) return row;
    if (!row) throw new Refusal('service_unavailable', 'The walk of the clock was given up.', { retryAfterSeconds: 5 });
    if (await store.isWalked(ctx)) seenAt = ctx.clock.monotonic();
    if (ctx.clock.monotonic() - seenAt > WORKER_WITHIN_MS && (await store.giveUp(ctx, id))) {
      throw new Refusal('service_unavailable', 'There is no worker that could move the clock.', { retryAfterSeconds: 30 });
    }
    await sleep(ctx.clock, LOOK_EVERY_MS);
  }
}
