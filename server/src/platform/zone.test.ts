import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isZone } from './zone.ts';

test('IANA names are zones, offsets and inventions are not', () => {
  const good = ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'EST5EDT', 'Asia/Kathmandu', 'Pacific/Apia'];
  for (const name of good) assert.equal(isZone(name), true, name);
  const bad = ['', ' ', 'Mars/X', 'UTC+25', '+02:00', '-05', 'Europe/Berlin ', 'Europe/Berlin\n', '../../etc/passwd', '\0', 'é', 'x'.repeat(10_000)];
  for (const name of bad) assert.equal(isZone(name), false, JSON.stringify(name.slice(0, 30)));
});

test('every zone that is accepted can be reckoned with', () => {
  for (const name of [...Intl.supportedValuesOf('timeZone'), 'EST5EDT', 'Etc/GMT+5', 'utc']) {
    assert.ok(isZone(name), name);
    assert.doesNotThrow(() => Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name), name);
  }
});
