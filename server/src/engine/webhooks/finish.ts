// The end of an attempt: its outcome, what follows from it and what it tells of the endpoint, in one commit. Only a row that is still pending is
// closed: one whose lease ran out has been replaced, and its late outcome changes nothing.
import { type Transaction, inTransaction, rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import {
  type Outcome, VERIFICATION, type Webhook, healthAfter, isHopeless, presentWebhook, retryAt, verified,
} from '#resources/webhooks/index.ts'; // prettier-ignore
import { type World, actingFor } from '#world/ctx.ts';
import { ENDPOINTS, type Next, type Taken, insertNext } from './take.ts';

export type Finished = { task: Taken; urlVersion: number; outcome: Outcome };

/** Whether nothing follows but the line in the log: by far the most, so these go in bulk and take no lock on their endpoints. */
export const isPlain = ({ task, outcome }: Finished): boolean => outcome.status === 'succeeded' && task.event_type !== VERIFICATION;

const CLOSE = `
  update webhook_deliveries d
     set status = done.status, response_status = done.response_status, error = done.error, latency_ms = done.latency_ms,
         attempted_at = done.attempted_at, next_attempt_at = done.next_attempt_at, leased_until = null
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::int[], $8::timestamptz[], $9::timestamptz[])
           as done (workspace_id, webhook_id, id, status, response_status, error, latency_ms, attempted_at, next_attempt_at)
   where d.workspace_id = done.workspace_id and d.webhook_id = done.webhook_id and d.id = done.id and d.status = 'pending'
  returning d.id`;

/** Close these attempts; answers those that were still open. */
async function close(world: World, finished: readonly Finished[], retries: readonly (Date | null)[]): Promise<Set<string>> {
  const rows = await rowsOf<{ id: string }>(world.db, CLOSE, [
    finished.map(({ task }) => task.workspace_id),
    finished.map(({ task }) => task.webhook_id),
    finished.map(({ task }) => task.id),
    finished.map(({ outcome }) => outcome.status),
    finished.map(({ outcome }) => outcome.response_status),
    finished.map(({ outcome }) => outcome.error),
    finished.map(({ outcome }) => outcome.latency_ms),
    finished.map(({ outcome }) => outcome.attempted_at),
    retries,
  ]);
  return new Set(rows.map((row) => row.id));
}

const PRAISE_EVERY_MS = 1_000;
// Locked in the order in which everybody locks endpoints. One that is known to be well is left alone.
const PRAISE = `
  with well as (
    select e.workspace_id, e.id from unnest($1::text[], $2::text[], $3::int[]) as done (workspace_id, id, url_version)
      join webhook_endpoints e on e.workspace_id = done.workspace_id and e.id = done.id and e.url_version = done.url_version
     where e.consecutive_failures > 0 or e.last_success_at is null or e.last_success_at <= $5
     order by e.workspace_id, e.id for no key update of e
  )
  update webhook_endpoints e set last_success_at = $4, consecutive_failures = 0, failing_since = null
    from well where e.workspace_id = well.workspace_id and e.id = well.id`;

/** Write down successes from which nothing else follows. */
export async function finishPlain(world: World, finished: readonly Finished[]): Promise<void> {
  await inTransaction(world, async (inside) => {
    const now = inside.clock.now();
    const nothing = finished.map(() => null);
    const endpoints = [...new Map(finished.map((one) => [one.task.webhook_id, one])).values()];
    await rowsOf(inside.db, PRAISE, [
      endpoints.map(({ task }) => task.workspace_id),
      endpoints.map(({ task }) => task.webhook_id),
      endpoints.map(({ urlVersion }) => urlVersion),
      now,
      new Date(now.getTime() - PRAISE_EVERY_MS),
    ]);
    await close(inside, finished, nothing);
  });
}

const LOCK = `${ENDPOINTS} order by e.workspace_id, e.id for no key update of e`;

/** Write down outcomes from which something follows: a retry, the end of a schedule, a verification, the end of an endpoint. */
export async function finishOthers(world: World, finished: readonly Finished[]): Promise<void> {
  await inTransaction(world, async (inside) => {
    const keys = [...new Map(finished.map(({ task }) => [task.webhook_id, task])).values()];
    const rows = await rowsOf<Webhook>(inside.db, LOCK, [keys.map((one) => one.workspace_id), keys.map((one) => one.webhook_id)]);
    const endpoints = new Map(rows.map((row) => [row.id, row]));
    const now = inside.clock.now();
    const retries = finished.map(({ task, outcome }) => {
      const endpoint = endpoints.get(task.webhook_id);
      const goesOn = outcome.status === 'failed' && endpoint && !endpoint.disabled;
      return goesOn ? retryAt(now, task.failures + 1, task) : null;
    });
    const closed = await close(inside, finished, retries);
    const open = finished.flatMap((one, i) => (closed.has(one.task.id) ? [{ ...one, retry: retries[i]! }] : []));
    await insertNext(inside, open.flatMap(nextOf));
    for (const [webhookId, its] of Map.groupBy(open, ({ task }) => task.webhook_id)) {
      const endpoint = endpoints.get(webhookId);
      if (endpoint) await judge(inside, endpoint, its);
    }
  });
}

type Open = Finished & { retry: Date | null };

/** The next attempt, where the schedule has one. What stands in no log keeps its body. */
function nextOf({ task, retry }: Open): [] | [Next & { body: string | null }] {
  if (!retry) return [];
  const { workspace_id, webhook_id, mode, event_id, event_type, kept } = task;
  const failures = task.failures + 1;
  return [
    { workspace_id, webhook_id, mode, event_id, event_type, trigger: 'retry', failures, next_attempt_at: retry, leased_until: null, body: kept },
  ];
}

/** What its attempts make of an endpoint, and what there is to tell of it. */
async function judge(inside: World & { db: Transaction }, before: Webhook, its: readonly Open[]): Promise<void> {
  const ctx = actingFor(inside, before.workspace_id, before.mode);
  let after = before;
  // An address that it has no more, and the question whether it is there at all, say nothing of its health.
  for (const { task, outcome, urlVersion } of its) {
    if (urlVersion !== before.url_version) continue;
    if (task.event_type !== VERIFICATION) after = { ...after, ...healthAfter(after, outcome.status === 'succeeded', ctx.now) };
    else if (outcome.status === 'succeeded') after = { ...after, ...healthAfter(after, true, ctx.now), ...(await verified(ctx, after)) };
  }
  if (!after.disabled && isHopeless(after, ctx.now)) after = { ...after, disabled: true, disabled_reason: 'failing', updated_at: ctx.now };
  if (after !== before) await save(inside, after);
  for (const { task, outcome, retry } of its) {
    // That a failure could not be told must not be told in turn: two dead endpoints would go on about each other for ever.
    const isOver = outcome.status === 'failed' && !retry && !before.disabled;
    if (!isOver || task.event_type === VERIFICATION || task.event_type === 'webhook.delivery.failed') continue;
    const { response_status, error } = outcome;
    const delivery = { id: task.id, event_id: task.event_id, event_type: task.event_type, attempt: task.attempt, response_status, error };
    record(ctx, { type: 'webhook.delivery.failed', resourceId: after.id, data: { ...presentWebhook(after), delivery } });
  }
}

async function save({ db }: World, row: Webhook): Promise<void> {
  await rowsOf(
    db,
    `update webhook_endpoints
        set consecutive_failures = $3, failing_since = $4, last_success_at = $5, last_failure_at = $6, disabled = $7, disabled_reason = $8,
            verified_at = $9, taken_sequence = $10, updated_at = $11
      where workspace_id = $1 and id = $2`,
    [
      row.workspace_id, row.id, row.consecutive_failures, row.failing_since, row.last_success_at, row.last_failure_at, row.disabled,
      row.disabled_reason, row.verified_at, row.taken_sequence, row.updated_at,
    ], // prettier-ignore
  );
}
