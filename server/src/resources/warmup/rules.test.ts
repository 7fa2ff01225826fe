import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answersAt, dayName, inWorkingHours, looksAt, nextWorkingDay, opens, planDay, rampDay, warmupLimit } from './rules.ts';
import { textOf } from './texts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/Los_Angeles',
  'Pacific/Kiritimati',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
);
const instant = fc.date({ min: new Date('2025-01-01T00:00:00Z'), max: new Date('2035-01-01T00:00:00Z'), noInvalidDate: true });
const id = fc.integer({ min: 1, max: 60 }).map((n) => `inb_${String(n).padStart(3, '0')}`);
const ids = fc.uniqueArray(id, { minLength: 2, maxLength: 40 });
const partners = (all: readonly string[]) => all.map((one) => ({ id: one }));
const hourIn = (at: Date, timezone: string) => {
  const { hour, minute } = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone);
  return hour + minute / 60;
};

test('a day: never with itself, nobody twice, at most what is left, within working hours and the day, the gaps kept', () => {
  fc.assert(
    fc.property(ids, zone, instant, fc.nat(30), fc.nat(3600), (all, timezone, now, left, max_gap_seconds) => {
      const inbox = { id: all[0]!, timezone, max_gap_seconds };
      const until = new Date(now.getTime() + DAY);
      const planned = planDay({ inbox, now, until, left, partners: partners(all) });
      assert.ok(planned.length <= left);
      assert.ok(planned.every(({ partner }) => partner.id !== inbox.id && opens(inbox.id, partner.id, dayName(now, timezone))));
      assert.equal(new Set(planned.map(({ partner }) => partner.id)).size, planned.length);
      for (const [i, { at }] of planned.entries()) {
        assert.ok(at >= now && at < until && hourIn(at, timezone) >= 8 && hourIn(at, timezone) < 18, at.toISOString());
        if (i > 0) assert.ok(at.getTime() - planned[i - 1]!.at.getTime() >= max_gap_seconds * 1000);
      }
      // Told again, it is the same, in whatever order the partners come.
      assert.deepEqual(planDay({ inbox, now, until, left, partners: partners(all).toReversed() }), planned);
    }),
  );
});

test('of a pair one opens on a day, whoever is asked, and each of them on some days', () => {
  fc.assert(
    fc.property(ids, fc.nat(3000), ([one, other], n) => {
      const day = Temporal.PlainDate.from('2030-01-01').add({ days: n }).toString();
      assert.equal(opens(one!, other!, day), !opens(other!, one!, day));
    }),
  );
  const days = Array.from({ length: 100 }, (_, i) => opens('inb_1', 'inb_2', Temporal.PlainDate.from('2030-01-01').add({ days: i }).toString()));
  assert.ok(days.filter(Boolean).length > 20 && days.filter(Boolean).length < 80);
});

test('all of a pool together: no pair twice on a day, and mails spread over the day instead of a burst', () => {
  const all = Array.from({ length: 30 }, (_, i) => `inb_${i}`);
  const now = new Date('2030-01-07T00:00:00Z');
  const pairs: string[] = [];
  for (const one of all) {
    const planned = planDay({
      inbox: { id: one, timezone: 'UTC', max_gap_seconds: 120 },
      now,
      until: new Date(now.getTime() + DAY),
      left: 20,
      partners: partners(all),
    });
    assert.ok(planned.length >= 5 && planned.length <= 12, String(planned.length));
    const hours = new Set(planned.map(({ at }) => Math.floor((at.getUTCHours() - 8) / 5)));
    assert.deepEqual([...hours].sort(), [0, 1]);
    pairs.push(...planned.map(({ partner }) => [one, partner.id].sort().join(' ')));
  }
  assert.equal(new Set(pairs).size, pairs.length);
  // A Saturday is quieter.
  const inbox = { id: 'inb_0', timezone: 'UTC', max_gap_seconds: 120 };
  const saturday = new Date('2030-01-12T00:00:00Z');
  assert.equal(planDay({ inbox, now: saturday, until: new Date(saturday.getTime() + DAY), left: 20, partners: partners(all) }).length, 4);
});

const capped = (started: string | null, more: object = {}) => ({
  id: 'inb_1', timezone: 'UTC', warmup_started_at: started === null ? null : new Date(started), daily_limit: 50, ramp_enabled: false, ramp_start: 10,
  ramp_end: 50, ramp_days: 14, ramp_started_at: new Date('2030-01-01T00:00:00Z'), ...more,
}); // prettier-ignore

test('the ramp begins with two, rises by two a day to the limit, and never takes more than half of the cap', () => {
  const started = '2030-01-01T15:00:00Z';
  const on = (day: number, more?: object, most = 20) => warmupLimit(capped(started, more), new Date(Date.UTC(2030, 0, day, 16)), most);
  assert.deepEqual([1, 2, 3, 9, 10, 11, 40].map((day) => on(day)), [2, 4, 6, 18, 20, 20, 20]); // prettier-ignore
  assert.deepEqual([on(10, { daily_limit: 10 }), on(10, { daily_limit: 1 }), on(10, {}, 0), on(10, {}, 7)], [5, 0, 0, 7]);
  assert.equal(on(1, { ramp_enabled: true, ramp_start: 3, ramp_end: 50 }), 1);
  assert.deepEqual([warmupLimit(capped(null), new Date(started), 20), rampDay(capped(null), new Date(started))], [0, null]);
  assert.equal(rampDay(capped(started), new Date('2030-01-02T00:00:00Z')), 2);
});

test('looks and answers come after what they are about, answers within working hours, and an exchange ends', () => {
  fc.assert(
    fc.property(fc.uuid(), zone, instant, fc.nat(6), (mail, timezone, now, place) => {
      assert.ok(looksAt(mail, now) > now && looksAt(mail, now).getTime() - now.getTime() <= 90 * 60_000);
      const at = answersAt({ id: mail, place }, now, timezone);
      if (place >= 3) assert.equal(at, null);
      if (at === null) return;
      assert.ok(at > now && hourIn(at, timezone) >= 8 && hourIn(at, timezone) < 18, at.toISOString());
      assert.equal(inWorkingHours(at, timezone, mail), at);
      const next = nextWorkingDay(at, timezone, mail);
      assert.ok(next > at && dayName(next, timezone) > dayName(at, timezone) && next.getTime() - at.getTime() < 2 * DAY);
    }),
  );
});

test('mails look like mails: a subject that stays in its thread, a greeting by name, the same words each time', () => {
  const ann = { email_address: 'ann.miller@sender.test', display_name: null };
  const bob = { email_address: 'bob@sender.test', display_name: 'Bob Stone' };
  const subjects = new Set<string>();
  for (let i = 0; i < 200; i++) {
    const opening = textOf({ thread_id: `t${i}`, place: 0 }, ann, bob);
    const answer = textOf({ thread_id: `t${i}`, place: 1 }, bob, ann);
    subjects.add(opening.subject);
    assert.equal(answer.subject, `Re: ${opening.subject}`);
    assert.match(opening.text, /^\w[\w ]* Bob,\n\n\S.*\n\n[\w ]+,\nAnn\n$/);
    assert.match(answer.text, / Ann,\n\n[^]*\nBob\n$/);
    assert.deepEqual(textOf({ thread_id: `t${i}`, place: 0 }, ann, bob), opening);
    assert.doesNotMatch(opening.text + answer.text, /https?:|undefined|null/);
  }
  assert.ok(subjects.size > 15, String(subjects.size));
});
