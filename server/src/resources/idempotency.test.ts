// An Idempotency-Key on every mutation that is mounted: one effect, one answer.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { inTransaction, rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { type Hand, type Operation, handOf, lineOf, operationOf, send, validOf } from '#testing/operations.ts';
import { gained, tableSums } from '#testing/table-sums.ts';
import { createApp } from '#web/app.ts';
import { begin } from '#web/idempotency.ts';
import type { Mode } from '#world/ctx.ts';
import { allRoutes } from './all-routes.ts';
import { authenticate } from './api-keys/index.ts';

let h: House;
/** A second process on the same database, started after the first has answered nothing. */
let restarted: FastifyInstance;
const keys = {} as Record<Mode, { admin: string; read: string }>;
const hands = {} as Record<Mode, Hand>;
before(async () => {
  h = await house();
  restarted = createApp(h.world, allRoutes, { authenticate });
  for (const mode of ['test', 'live'] as const) {
    keys[mode] = { admin: await h.secretFor({ mode }), read: await h.secretFor({ mode, scope: 'read' }) };
    hands[mode] = handOf(h.app, await h.secretFor({ mode, autoConfirm: true }));
    for (const secret of Object.values(keys[mode])) await send(h.app, { method: 'GET', url: '/v1/workspace' }, secret);
  }
});
after(async () => {
  await restarted.close();
  await h.close();
});

let numbers = 0;
const newKey = () => `key-${++numbers}`;
const codeOf = (answer: LightMyRequestResponse) =>
  answer.statusCode < 300 ? String(answer.statusCode) : answer.json<{ error: { code: string } }>().error.code;
const kept = async () => (await rowsOf<{ count: number }>(h.db, 'select count(*) from idempotency_keys', []))[0]!.count;

/** Routes of each kind in which a call can be carried out: with these the crowd is larger. */
const CROWDED = ['POST /v1/sends', 'POST /v1/contacts', 'POST /v1/contact_imports', 'POST /v1/campaigns', 'POST /v1/api_keys'];

for (const route of allRoutes.filter((one) => one.method !== 'GET')) {
  const line = lineOf(route);
  const setUp = async () => {
    const { mode, says } = validOf(route);
    const call = await operationOf(route, hands[mode]);
    const ask = (idem: string, { of = call, key = keys[mode].admin, app = h.app }: { of?: Operation; key?: string; app?: FastifyInstance } = {}) =>
      send(app, of, key, { headers: { 'idempotency-key': idem } });
    return { mode, says, call, ask };
  };

  test(`${line}: the same call is answered from what was kept, by any process; another one with its key is refused`, async () => {
    const { mode, says, call, ask } = await setUp();
    const idem = newKey();
    const before = await kept();
    if (route.spec.scope !== 'read') assert.equal(codeOf(await ask(idem, { key: keys[mode].read })), 'insufficient_scope');
    assert.equal(codeOf(await ask(idem, { key: `${keys[mode].admin}x` })), 'invalid_api_key');
    assert.equal(await kept(), before, '401 and 403 are not kept');
    const first = await ask(idem);
    assert.ok(says ? codeOf(first) === says[1] : first.statusCode < 300, first.body);
    assert.equal(first.headers['idempotent-replayed'], undefined);
    const done = await tableSums(h.db);
    const again = await ask(idem, { app: restarted });
    const once = route.spec.secret && !says;
    if (once) {
      const { error } = again.json<{ error: { resource_id: string; message: string } }>();
      const { id } = first.json<{ id: string }>();
      assert.deepEqual([again.statusCode, codeOf(again), error.resource_id], [409, 'idempotency_replay_unavailable', id]);
      assert.ok(error.message.includes(id));
    } else {
      assert.deepEqual([again.statusCode, again.body, again.headers['idempotent-replayed']], [first.statusCode, first.body, 'true']);
    }
    const otherBody = await ask(idem, { of: { ...call, body: { ...call.body, another: 1 } } });
    const otherPath = await ask(idem, { of: { ...call, url: `${call.url}${call.url.includes('?') ? '&' : '?'}another=1` } });
    const reused = once ? 'idempotency_replay_unavailable' : 'idempotency_key_reused';
    assert.deepEqual([otherBody.statusCode, codeOf(otherBody), codeOf(otherPath)], [409, reused, 'idempotency_key_reused']);
    assert.deepEqual(await tableSums(h.db), done, 'nothing happened but the first call');
  });

  test(`${line}: while its first call runs, a key is in progress`, async () => {
    const { mode, call, ask } = await setUp();
    const claim = { workspaceId: await h.workspace('one'), mode, key: newKey(), method: call.method, path: call.url, bodyHash: '', secret: false };
    await inTransaction(h.world, async ({ db }) => {
      assert.deepEqual(await begin(db, [claim], h.world.clock.wall()), [undefined]);
      const early = await ask(claim.key);
      assert.deepEqual([early.statusCode, codeOf(early), early.headers['retry-after']], [409, 'idempotency_in_progress', '1']);
    });
  });

  test(`${line}: of many at once one has an effect`, async () => {
    const { says, ask } = await setUp();
    if (says) return assert.ok(says[0] >= 400, 'what is refused has none');
    const beforeOne = await tableSums(h.db);
    assert.ok((await ask(newKey())).statusCode < 300);
    const single = gained(beforeOne, await tableSums(h.db));
    const crowd = await setUp();
    const beforeMany = await tableSums(h.db);
    const idem = newKey();
    const answers = await Promise.all(Array.from({ length: CROWDED.includes(line) ? 50 : 8 }, () => crowd.ask(idem)));
    const fresh = answers.filter((one) => one.statusCode < 300 && !one.headers['idempotent-replayed']);
    assert.equal(fresh.length, 1);
    for (const one of answers) {
      if (one.statusCode < 300) assert.equal(one.body, fresh[0]!.body);
      else if (codeOf(one) === 'idempotency_in_progress') assert.equal(one.headers['retry-after'], '1');
      else assert.equal(codeOf(one), route.spec.secret ? 'idempotency_replay_unavailable' : 'none other');
    }
    assert.deepEqual(gained(beforeMany, await tableSums(h.db)), single);
  });
}
