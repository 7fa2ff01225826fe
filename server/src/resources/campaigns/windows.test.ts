import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeDrawFor } from '#platform/random.ts';
import { allZones, changesOf, checkChange } from '#testing/windows.ts';

test('no instant outside the window: every zone around one change of its clocks (all of them: npm run windows)', () => {
  const zones = allZones();
  assert.ok(zones.length >= 400, `${zones.length} zones`);
  // A twelfth of the zones each with one change, and those with the strangest clocks with all.
  const strange = [
    'Australia/Lord_Howe', 'America/Havana', 'Antarctica/Troll', 'Africa/Casablanca', 'America/Santiago', 'Asia/Gaza', 'Africa/Cairo',
    'Pacific/Chatham',
  ]; // prettier-ignore
  let looked = 0;
  for (const [i, zone] of zones.entries()) {
    const changes = changesOf(zone);
    if (i % 12 === 0) looked += checkChange(zone, changes[wholeDrawFor(0, changes.length - 1, 'windows', zone)]!);
  }
  for (const zone of strange) for (const change of changesOf(zone).slice(0, 3)) looked += checkChange(zone, change);
  assert.ok(looked > 50_000, `${looked}`);
});
