import assert from 'node:assert/strict';
import { test } from 'node:test';
import { householdOf, inBlocks, isAddress, isBlock, isPublic } from './ip.ts';

test('addresses and blocks', () => {
  for (const text of ['10.0.0.1', '::1', '2001:db8::1', '::ffff:1.2.3.4']) assert.ok(isAddress(text) && isBlock(text), text);
  for (const text of ['', 'x', '10.1', '0x7f000001', '10.0.0.256', '10.0.0.1:80']) assert.ok(!isAddress(text) && !isBlock(text), text);
  for (const text of ['10.0.0.0/8', 'fc00::/7']) assert.ok(!isAddress(text) && isBlock(text), text);
  for (const text of ['10.0.0.0/33', '10.0.0.0/', '/8']) assert.ok(!isBlock(text), text);
  const within = inBlocks(['40.92.0.0/15', '2001:db8::/32']);
  assert.deepEqual(['40.93.255.255', '40.94.0.0', '::ffff:40.92.0.1', '2001:db8:1::', '2001:db9::'].map(within), [true, false, true, true, false]);
  assert.deepEqual(['8.8.8.8', '127.0.0.1', '192.168.1.1', '::1', '2a00:1450::1'].map(isPublic), [true, false, false, false, true]);
});

test('a household is one address, or one net of IPv6', () => {
  assert.equal(householdOf('::ffff:8.8.8.8'), householdOf('8.8.8.8'));
  assert.equal(householdOf('2a00:1450:0:1::1'), householdOf('2a00:1450:0:1:ffff:ffff::'));
  assert.notEqual(householdOf('2a00:1450:0:1::1'), householdOf('2a00:1450:0:2::1'));
});
