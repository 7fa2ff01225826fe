import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type Desk, desk } from '#testing/desk.ts';
import { addStep, changeStep, removeStep, reorderSteps } from './edit-steps.ts';
import type { Step } from './rules.ts';

let d: Desk;
before(async () => void (d = await desk()));
after(() => d[Symbol.asyncDispose]());

const make = async (...subjects: string[]) => {
  const { body } = await d.call('POST /v1/sequences', { name: 'S', steps: subjects.map((subject) => ({ subject })) });
  return { id: body.id, ids: body.steps.map((one) => one.id), line: `/v1/sequences/${body.id}/steps` };
};
const subjectsOf = async (id: string) => {
  const { steps } = (await d.call(`GET /v1/sequences/${id}`)).body;
  assert.deepEqual(
    steps.map((one) => one['step_order']),
    [...steps.keys()],
  );
  return steps.map((one) => one['subject']).join('');
};

test('a sequence is made with its steps, listed without, changed and deleted with them', async () => {
  const made = await d.call('POST /v1/sequences', { name: 'Intro', steps: [{ subject: 'Hi', body_text: 'x' }, { delay_days: 3 }] });
  assert.equal(made.status, 201);
  const { id, steps, ...rest } = made.body;
  const at = '2026-11-21T09:00:00.000Z';
  assert.deepEqual(rest, { object: 'sequence', mode: 'test', name: 'Intro', description: null, step_count: 2, created_at: at, updated_at: at });
  assert.deepEqual(
    { ...steps[1], id: '' },
    {
      id: '',
      object: 'sequence_step',
      sequence_id: id,
      step_order: 1,
      delay_days: 3,
      delay_minutes: 4320,
      subject: '',
      body_html: '',
      body_text: '',
      variants: null,
      winning_variant_id: null,
      auto_winner: null,
    },
  );
  assert.deepEqual((await d.call(`GET /v1/sequences/${id}`)).body, made.body);
  assert.deepEqual((await d.call('GET /v1/sequences')).body.data, [{ id, ...rest }]);
  assert.equal((await d.call(`PATCH /v1/sequences/${id}`, { name: 'Outro', description: 'd' })).body['name'], 'Outro');
  assert.equal((await d.call(`DELETE /v1/sequences/${id}`)).status, 200);
  assert.deepEqual([(await d.call(`GET /v1/sequences/${id}`)).status, await d.count('sequence_steps')], [404, 0]);
});

test('steps are appended, inserted, moved, reordered and deleted; positions have no gaps', async () => {
  const { id, line } = await make('a', 'b', 'c');
  const added = await d.call(`POST ${line}`, { subject: 'd' });
  assert.deepEqual([added.status, added.body['step_order']], [201, 3]);
  assert.equal((await d.call(`POST ${line}`, { subject: 'X', step_order: 1 })).body['step_order'], 1);
  assert.equal(await subjectsOf(id), 'aXbcd');
  assert.equal((await d.call(`PATCH ${line}/${added.body.id}`, { step_order: 0 })).body['step_order'], 0);
  assert.equal(await subjectsOf(id), 'daXbc');
  await d.call(`PATCH ${line}/${added.body.id}`, { step_order: 4, subject: 'D' });
  assert.equal(await subjectsOf(id), 'aXbcD');
  const before = (await d.call(`GET /v1/sequences/${id}`)).body.steps.map((one) => one.id);
  const reordered = await d.call(`POST ${line}/reorder`, { step_ids: before.toReversed() });
  assert.deepEqual(
    reordered.body.steps.map((one) => one.id),
    before.toReversed(),
  );
  assert.equal(await subjectsOf(id), 'DcbXa');
  const gone = await d.call(`DELETE ${line}/${before[2]}`);
  assert.deepEqual([gone.status, gone.body['deleted'], gone.body['object'], gone.body['subject']], [200, true, 'sequence_step', 'b']);
  assert.equal(await subjectsOf(id), 'DcXa');
  for (const method of ['PATCH', 'DELETE'])
    assert.equal((await d.call(`${method} ${line}/${before[2]}`, method === 'PATCH' ? {} : undefined)).status, 404);
});

test('twenty inserts at one position in parallel leave every position once', async () => {
  const { id, line } = await make('a', 'z');
  await Promise.all(Array.from({ length: 20 }, () => d.call(`POST ${line}`, { subject: 'n', step_order: 1 })));
  assert.equal(await subjectsOf(id), `a${'n'.repeat(20)}z`);
});

test('delays: days stand in for minutes, minutes win', async () => {
  const { line, ids } = await make('a', '');
  const patched = async (body: object) => {
    const answer = (await d.call(`PATCH ${line}/${ids[1]}`, body)).body;
    return [answer['delay_days'], answer['delay_minutes']];
  };
  assert.deepEqual(await patched({ delay_days: 2 }), [2, 2880]);
  assert.deepEqual(await patched({ delay_days: 9, delay_minutes: 1500 }), [1, 1500]);
  assert.deepEqual(await patched({ subject: 'x' }), [1, 1500]);
});

test('variants keep their ids, and a winner goes with its variant', async () => {
  const { line, ids } = await make('a');
  const patch = (body: object) => d.call(`PATCH ${line}/${ids[0]}`, body);
  const [one, two] = (await patch({ variants: [{ subject: '1' }, { subject: '2', disabled: true }] })).body.variants;
  assert.match(one!.id, /^var_/);
  const kept = (await patch({ variants: [{ ...two, subject: '2b' }, { ...one }, { subject: '3' }], winning_variant_id: one!.id })).body;
  assert.deepEqual(
    kept.variants.map((v) => [v.id === two!.id, v['subject'], v['disabled']]),
    [
      [true, '2b', true],
      [false, '1', false],
      [false, '3', false],
    ],
  );
  assert.equal(kept['winning_variant_id'], one!.id);
  assert.equal((await patch({ subject: 'b' })).body['winning_variant_id'], one!.id);
  assert.equal((await patch({ variants: [{ ...two }] })).body['winning_variant_id'], null);
  assert.equal((await patch({ variants: [] })).body['variants'], null);
});

test('the winner that is found by itself: kept, copied into campaigns, gone with the variants', async () => {
  const { id, line, ids } = await make('a');
  const patch = async (body: object) => (await d.call(`PATCH ${line}/${ids[0]}`, body)).body['auto_winner'];
  const variants = [{ subject: '1' }];
  assert.deepEqual(await patch({ variants, auto_winner: { metric: 'reply' } }), { metric: 'reply', min_sends: 100 });
  assert.deepEqual(await patch({ auto_winner: { metric: 'open', min_sends: 7 } }), { metric: 'open', min_sends: 7 });
  assert.deepEqual(await patch({ subject: 'b', variants }), { metric: 'open', min_sends: 7 });
  const inbox = await d.call('POST /v1/inboxes/sandbox', {});
  const campaign = await d.call('POST /v1/campaigns', { name: 'C', sequence_id: id, sending_inbox_ids: [inbox.body.id] });
  const [copy] = (await d.call(`GET /v1/campaigns/${campaign.body.id}/steps`)).body.data;
  assert.deepEqual(copy!['auto_winner'], { metric: 'open', min_sends: 7 });
  assert.equal(await patch({ auto_winner: null }), null);
  await patch({ auto_winner: { metric: 'click' } });
  assert.equal(await patch({ variants: null }), null);
});

test('odd texts are kept as they are', async () => {
  const { line } = await make('a');
  for (const body_html of [
    '{{a.b}}',
    '{{ a | default: "x" }}',
    '{ {',
    'a{color:red}',
    '{{constructor}}',
    '<script>alert(1)</script>',
    '<a href="javascript:x">',
    '{a|b}',
    '😀\t\n',
  ]) {
    const answer = await d.call(`POST ${line}`, { body_html });
    assert.deepEqual([answer.status, answer.body['body_html']], [201, body_html]);
  }
});

const create = 'POST /v1/sequences';
const OF_CREATE: [string, unknown, number, string, string?][] = [
  [create, {}, 422, 'parameter_missing', 'name'],
  [create, { name: ' ' }, 422, 'validation_failed', 'name'],
  [create, { name: 's', steps: [{ body_text: 'no subject' }] }, 422, 'validation_failed', 'steps[0].subject'],
  [
    create,
    { name: 's', steps: [{ subject: 'a' }, { subject: 'b', winning_variant_id: 'var_x' }] },
    422,
    'validation_failed',
    'steps[1].winning_variant_id',
  ],
  [create, { name: 's', steps: [{ subject: 'a', step_order: 0 }, { step_order: 0 }] }, 422, 'validation_failed', 'steps[1].step_order'],
  [create, { name: 's', steps: Array(101).fill({ subject: 'a' }) }, 422, 'validation_failed', 'steps'],
];

test('texts that are no templates, and winners that cannot be found, are refused where they stand', async () => {
  const { ids, line } = await make('a', 'b', '');
  const second = `PATCH ${line}/${ids[1]}`;
  await d.call(second, { variants: [{ subject: 'v' }] });
  const cases: [string, unknown, string, string][] = [
    [`POST ${line}`, { body_html: 'Hi {{unclosed' }, 'validation_failed', 'body_html'],
    [`POST ${line}`, { body_text: '{{{{' }, 'validation_failed', 'body_text'],
    [`POST ${line}`, { subject: 'Hi {{first name}}' }, 'validation_failed', 'subject'],
    [second, { variants: [{ subject: 'a' }, { body_text: '{{#if x}}' }] }, 'validation_failed', 'variants[1].body_text'],
    ['POST /v1/sequences', { name: 'S', steps: [{ subject: 'a' }, { body_text: '{{' }] }, 'validation_failed', 'steps[1].body_text'],
    [second, { auto_winner: { metric: 'sale' } }, 'validation_failed', 'auto_winner.metric'],
    [second, { auto_winner: { metric: 'reply', min_sends: 0 } }, 'validation_failed', 'auto_winner.min_sends'],
    [second, { auto_winner: { metric: 'reply', most: 1 } }, 'unknown_parameter', 'auto_winner.most'],
    [second, { auto_winner: {} }, 'parameter_missing', 'auto_winner.metric'],
    [`PATCH ${line}/${ids[2]}`, { auto_winner: { metric: 'reply' } }, 'validation_failed', 'auto_winner'],
  ];
  const before = await d.count('sequence_steps');
  for (const [request, body, code, param] of cases) {
    const { status, body: answer } = await d.call(request, body);
    assert.deepEqual([status, answer.error?.code, answer.error?.param], [422, code, param], JSON.stringify(body));
  }
  assert.equal(await d.count('sequence_steps'), before);
});

test('what is refused, and why; nothing is written', async () => {
  const { id, ids, line } = await make('a', 'b', '');
  const other = await make('o');
  const foreign = await d.call('POST /v1/sequences', { name: 'f' }, { key: d.keys.otherTest });
  const variant = (await d.call(`PATCH ${line}/${ids[1]}`, { variants: [{ subject: 'v' }] })).body.variants[0]!.id;
  const second = `PATCH ${line}/${ids[1]}`;
  const cases: [string, unknown, number, string, string?][] = [
    ...OF_CREATE,
    [`POST ${line}`, { step_order: 0, subject: ' ' }, 422, 'validation_failed', 'subject'],
    [`POST ${line}`, { step_order: -1 }, 422, 'validation_failed', 'step_order'],
    [`POST ${line}`, { step_order: 1.5 }, 422, 'validation_failed', 'step_order'],
    [`POST ${line}`, { step_order: 1e9 }, 422, 'validation_failed', 'step_order'],
    [`POST ${line}`, { step_order: 4 }, 422, 'validation_failed', 'step_order'],
    [`POST ${line}`, { delay_minutes: -1 }, 422, 'validation_failed', 'delay_minutes'],
    [`POST ${line}`, { delay_minutes: 1e12 }, 422, 'validation_failed', 'delay_minutes'],
    [`POST ${line}`, { delay_days: 366 }, 422, 'validation_failed', 'delay_days'],
    [`POST ${line}`, { subject: 'a\r\nBcc: x@y.z' }, 422, 'validation_failed', 'subject'],
    [`POST ${line}`, { body_html: 'x'.repeat(600_000) }, 422, 'validation_failed', 'body_html'],
    [`POST ${line}`, { body_html: 'x'.repeat(1_100_000) }, 413, 'payload_too_large'],
    [second, { step_order: 3 }, 422, 'validation_failed', 'step_order'],
    [second, { variants: [{ id: variant }, { id: variant }] }, 422, 'validation_failed', 'variants[1].id'],
    [second, { variants: [{ id: 'var_foreign' }] }, 422, 'validation_failed', 'variants[0].id'],
    [second, { variants: Array(1000).fill({}) }, 422, 'validation_failed', 'variants'],
    [second, { winning_variant_id: 'var_absent' }, 422, 'validation_failed', 'winning_variant_id'],
    [`PATCH ${line}/${ids[0]}`, { subject: '' }, 422, 'validation_failed', 'subject'],
    [`PATCH ${line}/${ids[0]}`, { variants: [{ subject: '' }] }, 422, 'validation_failed', 'variants[0].subject'],
    [`PATCH ${line}/${ids[2]}`, { step_order: 0 }, 422, 'validation_failed', 'subject'],
    [`PATCH ${line}/${other.ids[0]}`, {}, 404, 'resource_missing', 'step_id'],
    [`DELETE ${line}/${other.ids[0]}`, undefined, 404, 'resource_missing', 'step_id'],
    [`POST ${line}/reorder`, { step_ids: ids.slice(1) }, 422, 'validation_failed', 'step_ids'],
    [`POST ${line}/reorder`, { step_ids: [...ids, other.ids[0]] }, 422, 'validation_failed', 'step_ids[3]'],
    [`POST ${line}/reorder`, { step_ids: [ids[0], ids[0], ids[1]] }, 422, 'validation_failed', 'step_ids[1]'],
    [`POST ${line}/reorder`, { step_ids: ids.toReversed() }, 422, 'validation_failed', 'subject'],
    [`POST /v1/sequences/${foreign.body.id}/steps`, { subject: 'a' }, 404, 'resource_missing'],
    [`GET /v1/sequences/${foreign.body.id}`, undefined, 404, 'resource_missing'],
    [`DELETE /v1/sequences/${foreign.body.id}`, undefined, 404, 'resource_missing'],
  ];
  const before = [(await d.call(`GET /v1/sequences/${id}`)).body, await d.count('sequence_steps'), await d.count('sequences')];
  for (const [request, body, status, code, param] of cases) {
    const answer = await d.call(request, body);
    assert.deepEqual([request, answer.status, answer.body.error.code], [request, status, code], JSON.stringify(body)?.slice(0, 100));
    if (param) assert.equal(answer.body.error.param, param, request);
  }
  assert.deepEqual([(await d.call(`GET /v1/sequences/${id}`)).body, await d.count('sequence_steps'), await d.count('sequences')], before);
});

test('whatever is done to a list of steps, its positions are 0, 1, 2 … and no step is lost', () => {
  const act = fc.record({ kind: fc.constantFrom('add', 'move', 'remove', 'reorder'), at: fc.nat(50), seed: fc.nat(50) });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      let steps: Step[] = [];
      let next = 0;
      const expected = new Set<string>();
      for (const { kind, at, seed } of acts) {
        const pick = steps[seed % Math.max(1, steps.length)];
        const mintVariant = () => 'var_x';
        if (kind === 'add') {
          const id = `s${next++}`;
          steps = addStep(steps, { subject: 's', step_order: at % (steps.length + 1) }, { id, mintVariant }).steps;
          assert.equal(steps[at % steps.length]!.id, id);
          expected.add(id);
        } else if (pick && kind === 'move') {
          const place = at % steps.length;
          const others = steps.filter((one) => one !== pick).map((one) => one.id);
          steps = changeStep(steps, { step_order: place }, { id: pick.id, mintVariant }).steps;
          assert.deepEqual([steps[place]!.id, steps.map((one) => one.id).filter((id) => id !== pick.id)], [pick.id, others]);
        } else if (pick && kind === 'remove') {
          steps = removeStep(steps, pick.id);
          expected.delete(pick.id);
        } else {
          const ids = steps.map((one) => one.id);
          steps = reorderSteps(steps, [...ids.slice(at % (ids.length + 1)), ...ids.slice(0, at % (ids.length + 1))]);
        }
        assert.deepEqual(
          steps.map((one) => one.step_order),
          [...steps.keys()],
        );
        assert.deepEqual(new Set(steps.map((one) => one.id)), expected);
      }
    }),
    { numRuns: 100 },
  );
});

test('steps that leads have reached keep their position', () => {
  const steps = ['a', 'b', 'c'].reduce<Step[]>((list, id) => addStep(list, { subject: id }, { id, mintVariant: () => '' }).steps, []);
  assert.deepEqual(
    reorderSteps(steps, ['a', 'c', 'b'], new Set(['a'])).map((one) => one.id),
    ['a', 'c', 'b'],
  );
  assert.throws(() => reorderSteps(steps, ['b', 'a', 'c'], new Set(['a'])), { code: 'validation_failed' });
});
