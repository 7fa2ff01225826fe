import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from '#testing/fuzz/fuzz.ts';

test('twenty seconds of calls that no honest client makes: no 5xx, nothing undescribed, no refusal that wrote', async (t) => {
  const { calls, byStatus, byRoute, slow } = await fuzz({ seed: 20261121, seconds: 20 });
  t.diagnostic(`${calls} calls: ${JSON.stringify(byStatus)}`);
  assert.ok(Object.keys(byStatus).length > 4, 'all kinds of answers');
  // A machine under load may be slow once; a route that is slow as a rule is a fault.
  for (const [route, count] of Object.entries(slow)) assert.ok(count < Math.max(3, (byRoute[route] ?? 0) / 4), `${route} was slow ${count} times`);
});
