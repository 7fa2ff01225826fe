// Calls that no honest client makes, at every route: none may end in a 5xx, in an answer that is not described, or in a refusal that wrote.
import fc from 'fast-check';
import { z } from 'zod';
import { allRoutes } from '#resources/all-routes.ts';
import type { Route } from '#web/route.ts';
import { fingerprint } from '../fingerprint.ts';
import { type House, house } from '../house.ts';
import { type Pools, anyText, arbitraryOf, bytesOf } from './arbitrary.ts';

type Call = { route: Route; url: string; live: boolean; idem: string | undefined; type: string; payload: Buffer | undefined };
export type Report = { calls: number; byStatus: Record<string, number>; slow: Record<string, number>; byRoute: Record<string, number> };

const SLOW_MS = 1000;
/** Calls of the live mode that would talk to servers elsewhere are left to their own tests. */
const FUZZED = allRoutes.filter((route) => !route.prepare);

/** Call for `seconds`, out of `seed`. Rejects with the call that did harm; fast-check names what to repeat. */
export async function fuzz({ seed, seconds }: { seed: number; seconds: number }): Promise<Report> {
  // Leaving it throws whatever answer was not as described.
  await using h = await house({ seed: 1 });
  const report: Report = { calls: 0, byStatus: {}, slow: {}, byRoute: {} };
  const keys = { test: await h.secretFor({ autoConfirm: true }), live: await h.secretFor({ mode: 'live' }) };
  const pools = await poolsOf(h);
  const property = fc.asyncProperty(callOf(pools), (call) => judge(h, keys, call, report, pools));
  await fc.assert(property, { seed, numRuns: 1_000_000, interruptAfterTimeLimit: seconds * 1000, endOnFailure: true, verbose: 0 });
  return report;
}

/** One of everything, so that calls find something. */
async function poolsOf(h: House): Promise<Map<string, string[]>> {
  const api = await h.api();
  const inbox = await api.inboxes.createSandbox();
  const contacts = await Promise.all(['ann', 'bea', 'cid'].map((name) => api.contacts.create({ email: `${name}@example.com` })));
  const audience = await api.audiences.create({ name: 'Leads' });
  const steps = [
    { subject: 'Hi', body_text: 'Hello' },
    { delay_days: 1, body_text: 'Again' },
  ];
  const sequence = await api.sequences.create({ name: 'One', steps });
  const campaign = await api.campaigns.create({ name: 'One', sequence_id: sequence.id, sending_inbox_ids: [inbox.id] });
  const send = await api.sends.create({ to: 'dan@example.com', subject: 'Hi', body_text: 'Hello', inbox_id: inbox.id });
  const suppression = await api.suppressions.create({ email: 'no@example.com' });
  const key = await api.apiKeys.create({ name: 'victim' });
  const pools = new Map<string, string[]>();
  const things = [inbox, ...contacts, audience, sequence, ...(sequence.steps ?? []), campaign, send, suppression, key];
  for (const { id } of things) keep(pools, id);
  return pools;
}

const MOST_IDS = 50;
function keep(pools: Map<string, string[]>, id: string): void {
  const prefix = id.split('_')[0]!;
  pools.set(prefix, [id, ...(pools.get(prefix) ?? [])].slice(0, MOST_IDS));
}

function callOf(pools: Pools): fc.Arbitrary<Call> {
  return fc.constantFrom(...FUZZED).chain((route) =>
    fc
      .record({
        url: urlOf(route, pools),
        live: fc.nat(9).map((one) => one === 0),
        idem: fc.option(fc.oneof(fc.constantFrom('a', 'b'), fc.uuid(), anyText), { nil: undefined }),
        body:
          route.method === 'GET'
            ? fc.constant(undefined)
            : bytesOf(route.spec.body ? arbitraryOf(bodyOf(route), pools) : fc.constantFrom({}, { x: 1 }, [], null)),
      })
      .map(({ body, ...call }) => ({ route, ...call, type: body?.type ?? '', payload: body?.payload })),
  );
}

const bodyOf = ({ spec }: Route): z.ZodType =>
  spec.upload && spec.body instanceof z.ZodObject
    ? spec.body.safeExtend({ csv: z.string().meta({ example: 'email\nx@example.com\n' }) })
    : spec.body!;

function urlOf(route: Route, pools: Pools): fc.Arbitrary<string> {
  const parts = route.path.split('/').map((part) => (part.startsWith('{') ? idFor(route, part.slice(1, -1), pools) : fc.constant(part)));
  const query = route.spec.query ? arbitraryOf(route.spec.query, pools) : fc.constant({});
  const confirm = fc.constantFrom({}, {}, { confirm: 'true' }, { confirm: 'yes' }, { limit: '2' });
  return fc.tuple(fc.tuple(...parts), fc.option(query, { nil: {} }), confirm).map(([path, given, more]) => {
    const entries = Object.entries({ ...(typeof given === 'object' ? given : {}), ...(route.spec.confirm ? more : {}) });
    const search = new URLSearchParams(entries.map(([name, value]) => [name.toWellFormed(), String(value).toWellFormed()] as [string, string]));
    return `${path.join('/')}${entries.length > 0 ? `?${search.toString()}` : ''}`;
  });
}

/** An id of the right kind, of another kind, or no id. */
function idFor(route: Route, name: string, pools: Pools): fc.Arbitrary<string> {
  const shape = route.spec.params instanceof z.ZodObject ? (route.spec.params.shape as Record<string, z.ZodType>) : {};
  const fitting = [...pools.values()].flat().filter((id) => shape[name]?.safeParse(id).success);
  const others = [...pools.values()].flat();
  const odd = anyText.map((text) => encodeURIComponent(text.toWellFormed()) || 'x');
  const right = fitting.length > 0 ? fc.constantFrom(...fitting) : odd;
  return fc.oneof({ weight: 8, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...others) }, { weight: 1, arbitrary: odd });
}

async function judge(h: House, keys: { test: string; live: string }, call: Call, report: Report, pools: Map<string, string[]>): Promise<void> {
  const { route, url, live, idem, type, payload } = call;
  const mutates = route.method !== 'GET';
  const before = mutates ? await fingerprint(h.db) : '';
  const headers: Record<string, string> = { authorization: `Bearer ${live ? keys.live : keys.test}` };
  if (idem !== undefined && /^[\x20-\x7e]+$/.test(idem)) headers['idempotency-key'] = idem;
  if (type !== '') headers['content-type'] = type;
  const start = h.world.clock.monotonic();
  const answer = await h.app.inject({ method: route.method, url, headers, ...(payload !== undefined && { payload }) });
  const ms = h.world.clock.monotonic() - start;
  const name = `${route.method} ${route.path}`;
  const add = (counts: Record<string, number>, what: string) => (counts[what] = (counts[what] ?? 0) + 1);
  report.calls++;
  add(report.byStatus, String(answer.statusCode));
  add(report.byRoute, name);
  if (ms > SLOW_MS) add(report.slow, name);
  const said = `${name} ${url.slice(0, 300)} ${payload?.toString().slice(0, 500) ?? ''} → ${answer.statusCode} ${answer.body.slice(0, 300)}`;
  if (answer.statusCode >= 500) throw new Error(`${said}\n${h.lines.at(-1)?.slice(0, 2000) ?? ''}`);
  if (answer.statusCode < 300) {
    const { id } = answer.json<{ id?: unknown }>();
    if (typeof id === 'string' && route.method === 'POST' && !id.startsWith('dryrun')) keep(pools, id);
  } else if (mutates && (await fingerprint(h.db)) !== before) throw new Error(`A refused call has written: ${said}`);
}
