import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAt } from './rules.ts';

const NOW = new Date('2030-01-07T09:00:00Z');
const MINUTES = [1, 5, 30, 120, 480, 1440];
const minutesUntil = (of: { webhook_id: string; event_id: string; mode: 'live' | 'test' }, failures: number) =>
  (retryAt(NOW, failures, of)!.getTime() - NOW.getTime()) / 60_000;

test('the timetable: in test mode to the millisecond, in live mode up to a tenth later, and not all at once', () => {
  const late: number[] = [];
  for (const [i, wait] of MINUTES.entries()) {
    assert.equal(minutesUntil({ webhook_id: 'whk_1', event_id: `evt_${i}`, mode: 'test' }, i + 1), wait);
    for (let nth = 0; nth < 50; nth++) late.push(minutesUntil({ webhook_id: 'whk_1', event_id: `evt_${nth}`, mode: 'live' }, i + 1) / wait);
  }
  assert.ok(
    late.every((one) => one >= 1 && one <= 1.1),
    `${Math.min(...late)} to ${Math.max(...late)}`,
  );
  assert.ok(Math.max(...late) - Math.min(...late) > 0.09);
  for (const mode of ['live', 'test'] as const) assert.equal(retryAt(NOW, 7, { webhook_id: 'whk_1', event_id: 'evt_1', mode }), null);
});
