import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eveningZone } from './job.ts';

test('at whatever hour the job begins, it is ten in the evening there', () => {
  for (let hour = 0; hour < 24; hour++) {
    const now = new Date(Date.UTC(2030, 0, 7, hour, 59));
    const there = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(eveningZone(now));
    assert.equal(there.hour, 22, eveningZone(now));
  }
});
