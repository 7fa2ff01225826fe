// Who may call what, for every operation that is mounted: made from the declarations, so that a new route is judged without being asked.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { type House, house } from '#testing/house.ts';
import { type Hand, type Operation, handOf, lineOf, operationOf, send, validOf } from '#testing/operations.ts';
import { tableSums } from '#testing/table-sums.ts';
import type { Route } from '#web/route.ts';
import type { Mode, Scope } from '#world/ctx.ts';
import { allRoutes } from './all-routes.ts';

const SCOPES = ['read', 'write', 'admin'] as const satisfies Scope[];
const RANK = { read: 0, write: 1, admin: 2 };

type Keys = Record<Scope | 'revoked' | 'rotated' | 'foreign' | 'otherMode', string>;
let h: House;
const keys = {} as Record<Mode, Keys>;
const hands = {} as Record<Mode, Hand>;
let cases = 0;

before(async () => {
  h = await house();
  for (const mode of ['test', 'live'] as const) {
    hands[mode] = handOf(h.app, await h.secretFor({ mode, autoConfirm: true }));
    const otherMode = mode === 'test' ? 'live' : 'test';
    const gone = async (how: string) => {
      const { id, secret } = await hands[mode].ask('POST /v1/api_keys', { name: 'Gone', scope: 'admin' });
      await hands[mode].ask(how.replace('{id}', id));
      return secret as string;
    };
    keys[mode] = {
      read: await h.secretFor({ mode, scope: 'read' }),
      write: await h.secretFor({ mode, scope: 'write' }),
      admin: await h.secretFor({ mode }),
      revoked: await gone('DELETE /v1/api_keys/{id}'),
      rotated: await gone('POST /v1/api_keys/{id}/rotate'),
      foreign: await h.secretFor({ mode, workspace: 'two' }),
      otherMode: await h.secretFor({ mode: otherMode }),
    };
    // The first use of a key is noted in its row.
    for (const secret of Object.values(keys[mode])) await send(h.app, { method: 'GET', url: '/v1/workspace' }, secret);
  }
});
after(() => h.close());

const codeOf = (answer: LightMyRequestResponse) =>
  `${answer.statusCode} ${answer.statusCode < 300 ? '' : answer.json<{ error: { code: string } }>().error.code}`.trim();

/** Status and body, without what tells one call from another. */
const alike = (answer: LightMyRequestResponse) => `${answer.statusCode} ${answer.body.replaceAll(/[a-z]+_[0-7][0-9a-z]{25}/g, 'ID')}`;

/** The same call about things that there are not: different ones where they were different. */
function absent(call: Operation): Operation {
  const seen: string[] = [];
  const other = (suffix: string) => {
    if (!seen.includes(suffix)) seen.push(suffix);
    return `01jd00000000000000000000${String(seen.indexOf(suffix)).padStart(2, '0')}`;
  };
  return JSON.parse(JSON.stringify(call).replaceAll(/(?<=[a-z]_)[0-7][0-9a-hjkmnp-tv-z]{25}/g, other)) as Operation;
}

/** Everybody without a right: what they send, and what they hear. */
function outsiders(route: Route, { read, write, admin, revoked, rotated }: Keys) {
  const otherEnd = `${admin.slice(0, -1)}${admin.endsWith('a') ? 'b' : 'a'}`;
  const otherPrefix = admin.replace(/^svc_(live|test)/, (prefix) => (prefix === 'svc_live' ? 'svc_test' : 'svc_live'));
  const noToken = [undefined, '', 'Bearer', 'Bearer ', 'Bearer  \t', `Basic ${admin}`, admin, `Bearer ${admin} ${admin}`];
  const noKey = [otherEnd, otherPrefix, 'svc_live_x', revoked, rotated].map((secret) => `Bearer ${secret}`);
  const narrow = SCOPES.filter((scope) => RANK[scope] < RANK[route.spec.scope]).map((scope) => `Bearer ${scope === 'read' ? read : write}`);
  return [
    ...[...noToken, ...noKey].map((authorization) => ({ authorization, code: '401 invalid_api_key' })),
    ...narrow.map((authorization) => ({ authorization, code: '403 insufficient_scope' })),
  ];
}

for (const route of allRoutes) {
  const line = lineOf(route);
  const setUp = () => {
    const { mode, says } = validOf(route);
    return { mode, says, own: keys[mode], hand: hands[mode] };
  };

  test(`${line}: nobody without a right gets in, and nothing changes`, async () => {
    const { own, hand } = setUp();
    const call = await operationOf(route, hand);
    const before = await tableSums(h.db);
    for (const { authorization, code } of outsiders(route, own)) {
      const answer = await send(h.app, call, undefined, { headers: authorization === undefined ? {} : { authorization } });
      assert.equal(codeOf(answer), code, String(authorization));
      assert.match(String(answer.headers['request-id']), /^req_/);
      cases++;
    }
    const inQuery = `${call.url}${call.url.includes('?') ? '&' : '?'}api_key=${own.admin}`;
    assert.equal(codeOf(await send(h.app, { ...call, url: inQuery }, undefined)), '401 invalid_api_key');
    cases++;
    assert.deepEqual(await tableSums(h.db), before);
  });

  test(`${line}: what is another's, or of the other mode, is what does not exist`, async () => {
    const { mode, own, hand } = setUp();
    const call = await operationOf(route, hand);
    const named = JSON.stringify(absent(call)) !== JSON.stringify(call);
    // A call that names nothing may do for the other mode what it would do for its own: rows of tables without a mode are then new.
    for (const [secret, modeless] of [
      [own.foreign, true],
      [own.otherMode, named],
    ] as const) {
      const ours = async () => tableSums(h.db, { workspaceId: await h.workspace('one'), mode, modeless });
      const before = await ours();
      const answer = await send(h.app, call, secret);
      assert.ok(answer.statusCode < 500, answer.body);
      if (named) assert.equal(alike(answer), alike(await send(h.app, absent(call), secret)));
      if (route.path.includes('{') && answer.statusCode !== 403) assert.equal(codeOf(answer), '404 resource_missing');
      assert.deepEqual(await ours(), before);
      cases++;
    }
    if (route.path.includes('{')) {
      assert.equal(codeOf(await send(h.app, absent(call), own.admin)), '404 resource_missing', 'absent');
      cases++;
    }
  });

  test(`${line}: whoever has the scope is served`, async () => {
    const { own, hand, says } = setUp();
    const answers = says ? [`${says[0]} ${says[1]}`] : Object.keys(route.spec.reply);
    for (const scope of SCOPES.filter((one) => RANK[one] >= RANK[route.spec.scope])) {
      const answer = await send(h.app, await operationOf(route, hand), own[scope]);
      assert.ok(answers.includes(codeOf(answer)), `${scope}: ${answer.statusCode} ${answer.body}`);
      cases++;
    }
  });
}

test('lists show nothing of another workspace or mode', async () => {
  const strangers = [await h.secretFor({ workspace: 'three' }), await h.secretFor({ workspace: 'three', mode: 'live' })];
  const idsOf = async (url: string, secret: string) =>
    (await send(h.app, { method: 'GET', url }, secret)).json<{ data: { id: string }[] }>().data.map(({ id }) => id);
  for (const { path } of allRoutes.filter((one) => one.method === 'GET' && !one.path.includes('{') && 'data' in shapeOf(one))) {
    const own = new Set(await idsOf(path, keys.test.admin));
    assert.ok(own.size > 0, `${path}: nothing there that could be shown`);
    for (const secret of [...strangers, keys.test.otherMode]) {
      const seen = (await idsOf(path, secret)).filter((id) => own.has(id));
      assert.deepEqual(seen, [], path);
      cases++;
    }
  }
});

const shapeOf = ({ spec }: Route) => (spec.reply[200] as { shape?: object } | undefined)?.shape ?? {};

test('every operation was asked by everybody', () => {
  const least = allRoutes.length * 16;
  assert.ok(cases >= least, `${cases} cases, at least ${least} expected`);
});
