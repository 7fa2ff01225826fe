// How the machine is doing, for /metrics: its queues as the database has them, its connections, its event loop.
import { Gauge, type Registry, collectDefaultMetrics } from 'prom-client';
import { poolsOf, rowsOf } from '#store/db.ts';
import type { World } from '#world/ctx.ts';
import { ALIVE_MS } from './readiness.ts';

/** Scrapes that come closer together than this share their figures, so that nobody can keep the database busy with them. */
const FRESH_MS = 2_000;
/** An outcome that is awaited for longer has probably got lost. */
const UNKNOWN_AFTER_MS = 60_000;

type Figure = { name: string; mode: string; value: number };

// By way of the inboxes: the cost grows with what is due and not with what is planned. Of times the age in seconds.
const SENDS = `
  select inboxes.mode, sum(due.count)::int as sends_due,
         coalesce(extract(epoch from $1::timestamptz - min(due.oldest)), 0)::float as sends_oldest_due_age_seconds
    from inboxes cross join lateral (
         select count(*) as count, min(due_at) as oldest from sends
          where sends.workspace_id = inboxes.workspace_id and sends.inbox_id = inboxes.id and state = 'scheduled' and due_at <= $1) due
   group by 1`;
const UNKNOWN = `
  select sends.mode, count(*)::int as sends_unknown_outcome
    from send_attempts open join sends on sends.workspace_id = open.workspace_id and sends.id = open.send_id
   where open.leased_until is not null and open.dot_released_at <= $1 group by 1`;
const QUEUES = `
  select (select count(*)::int from inboxes where leased_until > $2) as lanes,
         (select count(*)::int from inboxes where next_poll_at <= $1) as inbox_polls_due,
         (select count(*)::int from campaigns where status = 'running' and next_plan_at <= $1) as campaigns_due,
         (select count(*)::int from heartbeats where role = 'worker' and beat_at > $3) as workers`;
const WEBHOOKS = `
  select d.mode, count(*)::int as webhook_deliveries_due
    from webhook_deliveries d left join test_clocks c on c.workspace_id = d.workspace_id and d.mode = 'test'
   where d.status = 'pending' and d.next_attempt_at <= $1::timestamptz + coalesce(c.offset_ms, 0) * interval '1 millisecond' group by 1`;

const HELP: Record<string, string> = {
  database_up: 'Whether the database answers; if not, the queues are not known.',
  sends_due: 'Scheduled sends that may leave now; pacing and caps may still hold them.',
  sends_oldest_due_age_seconds: 'How long the oldest of them has been due.',
  sends_unknown_outcome: 'Sends whose last byte was released more than a minute ago, without a word of the server since.',
  webhook_deliveries_due: 'Webhook deliveries that are due.',
  lanes: 'Inboxes that a worker holds to send from.',
  inbox_polls_due: 'Mailboxes that are due to be read.',
  campaigns_due: 'Running campaigns that are due to be planned.',
  workers: 'Workers that have given a sign of life within 15 seconds.',
};
const BY_MODE = ['sends_due', 'sends_oldest_due_age_seconds', 'sends_unknown_outcome', 'webhook_deliveries_due'];

/** Put the figures of this process and of the whole engine into `register`; they are asked for when it is read. */
export function addGauges(register: Registry, world: World): void {
  collectDefaultMetrics({ register });
  const gauges = new Map<string, Gauge>();
  let asked = { at: -Infinity, done: Promise.resolve() };
  // All gauges are read side by side: each waits for the figures of all, and the first has them fetched.
  const collect = () => {
    const at = world.clock.monotonic();
    if (at - asked.at >= FRESH_MS) asked = { at, done: fill(world, gauges) };
    return asked.done;
  };
  for (const [name, help] of Object.entries(HELP)) {
    const labelNames = BY_MODE.includes(name) ? ['mode'] : [];
    gauges.set(name, new Gauge({ name: `postrider_${name}`, help, labelNames, registers: [register], collect }));
  }
  addPools(register, world);
}

async function fill(world: World, gauges: ReadonlyMap<string, Gauge>): Promise<void> {
  const figures = await figuresOf(world).catch((error: unknown) => {
    world.log.warn({ err: (error as Error).message }, 'the queues could not be counted');
    return [];
  });
  for (const gauge of gauges.values()) gauge.reset();
  for (const { name, mode, value } of [{ name: 'database_up', mode: '', value: figures.length ? 1 : 0 }, ...figures]) {
    if (BY_MODE.includes(name)) gauges.get(name)!.set({ mode }, value);
    else gauges.get(name)!.set(value);
  }
}

async function figuresOf({ db, clock }: World): Promise<Figure[]> {
  const [now, wall] = [clock.now(), clock.wall()];
  const ago = (ms: number) => new Date(wall.getTime() - ms);
  const byMode = async (text: string, at: Date) =>
    (await rowsOf<{ mode: string } & Record<string, number | string>>(db, text, [at])).flatMap(({ mode, ...counts }) =>
      Object.entries(counts).map(([name, value]) => ({ name, mode, value: Number(value) })),
    );
  const zeros = BY_MODE.slice(0, 3).flatMap((name) => ['live', 'test'].map((mode) => ({ name, mode, value: 0 })));
  const [queues] = await rowsOf<Record<string, number>>(db, QUEUES, [now, wall, ago(ALIVE_MS)]);
  const [webhooks] = await rowsOf<{ there: boolean }>(db, `select to_regclass('webhook_deliveries') is not null as there`, []);
  return [
    ...zeros,
    ...(await byMode(SENDS, now)),
    ...(await byMode(UNKNOWN, new Date(now.getTime() - UNKNOWN_AFTER_MS))),
    ...(webhooks!.there ? await byMode(WEBHOOKS, now) : []),
    ...Object.entries(queues!).map(([name, value]) => ({ name, mode: '', value })),
  ];
}

function addPools(register: Registry, { db }: World): void {
  const gauge: Gauge = new Gauge({
    name: 'postrider_database_connections',
    help: 'Connections of this process, and calls that wait for one: of the service, and behind row-level security.',
    labelNames: ['pool', 'state'],
    registers: [register],
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(poolsOf(db))) {
        gauge.set({ pool, state: 'busy' }, totalCount - idleCount);
        gauge.set({ pool, state: 'idle' }, idleCount);
        gauge.set({ pool, state: 'waiting' }, waitingCount);
      }
    },
  });
}
