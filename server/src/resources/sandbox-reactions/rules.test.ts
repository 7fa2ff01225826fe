import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withSandboxDefaults } from '#resources/inboxes/index.ts';
import { isRefused, reactionsOf, scriptOf } from './rules.ts';

const DOMAIN = 'sandbox.postrider.test';
const config = withSandboxDefaults({});
const kindsOf = (address: string, more: object = {}, parts: (string | number)[] = [7, address, 'step 0']) =>
  reactionsOf(address, { ...config, ...more }, DOMAIN, parts).map((one) => one.kind);

test('scripted recipients, each with any suffix, at the sandbox domain only', () => {
  const scripts = ['reply', 'reply+interested', 'ooo', 'bounce', 'softbounce', 'open', 'click', 'unsubscribe', 'complaint', 'fail'];
  for (const script of scripts) {
    for (const address of [`${script}@${DOMAIN}`, `${script}-17@${DOMAIN}`, `${script.toUpperCase()}-A.b@${DOMAIN.toUpperCase()}`]) {
      assert.equal(scriptOf(address, DOMAIN), script, address);
      assert.equal(isRefused(address, DOMAIN), script === 'fail');
    }
    for (const address of [
      `${script}@example.com`,
      `${script}17@${DOMAIN}`,
      `${script}-@${DOMAIN}`,
      `x${script}@${DOMAIN}`,
      `${script}@x.${DOMAIN}`,
    ]) {
      assert.equal(scriptOf(address, DOMAIN), null, address);
    }
  }
});

test('a scripted recipient plays its part whatever the probabilities', () => {
  const PLAYS = {
    'reply': ['reply'], 'reply+interested': ['reply_interested'], 'ooo': ['auto_reply'], 'bounce': ['bounce'], 'softbounce': ['soft_bounce'],
    'open': ['open'], 'click': ['open', 'click'], 'unsubscribe': ['unsubscribe'], 'complaint': ['complaint'], 'fail': [],
  }; // prettier-ignore
  for (const probability of [0, 1]) {
    const all = { open_probability: probability, click_probability: probability, reply_probability: probability, bounce_probability: probability };
    for (const [script, kinds] of Object.entries(PLAYS)) assert.deepEqual(kindsOf(`${script}@${DOMAIN}`, all), kinds, script);
  }
});

test('probabilities: by seed the counts are exact, and near what was asked', () => {
  const count = new Map<string, number>();
  for (let i = 0; i < 10_000; i++) for (const kind of kindsOf(`person${i}@example.com`)) count.set(kind, (count.get(kind) ?? 0) + 1);
  assert.deepEqual(Object.fromEntries(count), { open: 5_413, reply: 1_001, click: 946, bounce: 210 });
});

test('certain and impossible things', () => {
  const none = { open_probability: 0, click_probability: 0, reply_probability: 0, bounce_probability: 0 };
  assert.deepEqual(kindsOf('a@example.com', none), []);
  assert.deepEqual(kindsOf('a@example.com', { ...none, open_probability: 1 }), ['open']);
  assert.deepEqual(kindsOf('a@example.com', { ...none, click_probability: 1 }), ['open', 'click']);
  assert.deepEqual(kindsOf('a@example.com', { ...none, reply_probability: 1 }), ['reply']);
  assert.deepEqual(kindsOf('a@example.com', { open_probability: 1, click_probability: 1, reply_probability: 1, bounce_probability: 1 }), ['bounce']);
});

test('delays stand between their bounds, no click comes before the open, and the same parts give the same', () => {
  const delay = fc.tuple(fc.nat(100), fc.nat(100)).map(([min, more]) => [min, min + more] as const);
  fc.assert(
    fc.property(fc.emailAddress(), fc.nat(), delay, delay, delay, (address, seed, open, click, reply) => {
      const whole = {
        ...config, open_probability: 1, click_probability: 1, reply_probability: 1, bounce_probability: 0,
        open_delay_seconds_min: open[0], open_delay_seconds_max: open[1], click_delay_seconds_min: click[0], click_delay_seconds_max: click[1],
        reply_delay_seconds_min: reply[0], reply_delay_seconds_max: reply[1],
      }; // prettier-ignore
      const once = reactionsOf(address, whole, DOMAIN, [seed, address]);
      assert.deepEqual(reactionsOf(address, whole, DOMAIN, [seed, address]), once);
      const [opened, clicked, replied] = once.map((one) => one.afterSeconds);
      assert.ok(opened! >= open[0] && opened! <= open[1]);
      assert.ok(clicked! >= opened! && clicked! >= click[0] && clicked! <= Math.max(click[1], opened!));
      assert.ok(replied! >= reply[0] && replied! <= reply[1]);
    }),
    { numRuns: 100, seed: 1 },
  );
});
