import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IN_FLIGHT_FAILING, MOST, MOST_FAILING, type Point, STOCK, roomFor } from './rules.ts';

const point = (workspaceId: string, id: string, more: Partial<Point> = {}): Point => ({ workspaceId, id, failing: false, held: 0, ...more });
const many = (count: number, workspaceId: string, more: Partial<Point> = {}) =>
  Array.from({ length: count }, (_, i) => point(workspaceId, `${workspaceId}-${i}`, more));
const sum = (rooms: Map<string, number>) => [...rooms.values()].reduce((total, one) => total + one, 0);

test('nobody gets more than its lane takes, and all together no more than the process takes', () => {
  const endpoint = fc.record({
    workspaceId: fc.constantFrom('a', 'b', 'c'),
    failing: fc.boolean(),
    held: fc.integer({ min: 0, max: STOCK }),
  });
  const property = fc.property(fc.array(endpoint, { maxLength: 300 }), fc.nat(), (given, turn) => {
    const points = given.map((one, i) => ({ ...one, id: String(i), held: one.failing ? Math.min(one.held, IN_FLIGHT_FAILING) : one.held }));
    const held = { all: Math.min(MOST, points.reduce((total, one) => total + one.held, 0)), failing: 0 }; // prettier-ignore
    const rooms = roomFor(points, held, turn);
    assert.ok(held.all + sum(rooms) <= MOST);
    for (const one of points) {
      const room = rooms.get(one.id) ?? 0;
      assert.ok(room === 0 || one.held + room <= (one.failing ? IN_FLIGHT_FAILING : STOCK));
    }
  });
  fc.assert(property, { seed: 7 });
});

test('a tenant with hundreds of endpoints leaves the others their share', () => {
  const rooms = roomFor([...many(500, 'loud'), point('quiet', 'q')], { all: 0, failing: 0 }, 0);
  assert.equal(rooms.get('q'), STOCK);
  assert.ok(sum(rooms) <= MOST);
});

test('endpoints that fail cannot hold what the others need', () => {
  const rooms = roomFor([...many(2_000, 'dead', { failing: true }), ...many(3, 'well')], { all: MOST_FAILING, failing: MOST_FAILING }, 0);
  assert.deepEqual([...rooms.keys()], ['well-0', 'well-1', 'well-2']);
  const fresh = roomFor(many(2_000, 'dead', { failing: true }), { all: 0, failing: 0 }, 0);
  assert.equal(sum(fresh), MOST_FAILING);
});

test('with more endpoints than places it is everybody´s turn in the end', () => {
  const points = many(MOST + 500, 'w');
  const served = new Set<string>();
  for (let turn = 0; turn < points.length; turn += 400) for (const id of roomFor(points, { all: 0, failing: 0 }, turn).keys()) served.add(id);
  assert.equal(served.size, points.length);
});
