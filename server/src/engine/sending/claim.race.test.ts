// Two of everything over one database, each with connections of its own: what a compare-and-set, a lock or its order is there for.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { connect, inTransaction, rowsOf } from '#store/db.ts';
import { type Stage, stage } from '#testing/stage.ts';
import type { Send } from '#resources/sends/index.ts';
import { suppress } from '#resources/suppressions/index.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import { campaignsLoop } from '../campaigns/index.ts';
import { claimSends, leaseInboxes } from './claim.ts';
import { reconcilerLoop, sendingLoop } from './index.ts';
import { releaseDots } from './release.ts';

/** The world of another process: its own connections. */
function elsewhere({ h }: Stage) {
  const db = connect(h.databaseUrl, { log: h.world.log, max: 6 });
  return { world: { ...h.world, db } satisfies World, [Symbol.asyncDispose]: () => db.destroy() };
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const count = async (s: Stage, text: string) => (await rowsOf<{ n: number }>(s.h.db, `select count(*)::int as n from ${text}`, []))[0]!.n;
const SENDERS = ['ann', 'bob', 'cat', 'dan'].map((name) => `${name}@sender.test`);

test('two workers over 200 due sends of four inboxes deliver each once', async () => {
  await using s = await stage({ senders: SENDERS });
  await Promise.all(numbers(200).map((i) => s.send(`p${i}@people.test`, { inbox_id: s.inboxes[i % 4]!.id })));
  await using a = elsewhere(s);
  await using b = elsewhere(s);
  const { journalFolder } = s.h;
  const workers = await Promise.all(
    [a, b].map(async ({ world }, i) => {
      const processId = `worker.1.${i}`;
      const sending = await sendingLoop(world, { processId, journalFolder, maxLanes: 2 });
      return { sending, reconciler: reconcilerLoop(world, { processId, journalFolder, isAlive: () => true }) };
    }),
  );
  while ((await count(s, `sends where state <> 'sent'`)) > 0) {
    await Promise.all(workers.flatMap(({ sending, reconciler }) => [sending.step(), reconciler.step()]));
    await pause(5);
  }
  await Promise.all(workers.map(async ({ sending }) => sending.close?.()));
  assert.equal(s.office.deliveries.length, 200);
  assert.equal(new Set(s.office.deliveries.map((one) => one.recipient)).size, 200);
  assert.equal(await count(s, 'sends where fence = 1'), 200);
  assert.equal(await count(s, `events where type = 'send.sent'`), 200);
  const byWorker = await rowsOf<{ n: number }>(s.h.db, 'select count(*)::int as n from send_attempts group by process_id', []);
  assert.equal(byWorker.length, 2);
  assert.deepEqual(s.h.lines, []);
});

test('an inbox is leased to one of many who ask at once', async () => {
  await using s = await stage({ senders: SENDERS });
  await using b = elsewhere(s);
  for (const inbox of s.inboxes) await s.send('one@people.test', { inbox_id: inbox.id });
  for (let round = 0; round < 25; round++) {
    const leased = await Promise.all(numbers(6).map((i) => leaseInboxes(i % 2 ? s.h.world : b.world, `holder.${i}`, 4)));
    const rows = await rowsOf<{ id: string; lease_holder: string }>(s.h.db, 'select id, lease_holder from inboxes', []);
    const held = leased.flatMap((inboxes, i) => inboxes.map((one) => ({ id: one.id, lease_holder: `holder.${i}` })));
    const byId = (x: { id: string }, y: { id: string }) => (x.id < y.id ? -1 : 1);
    assert.deepEqual(held.sort(byId), rows.map(({ id, lease_holder }) => ({ id, lease_holder })).sort(byId));
    await rowsOf(s.h.db, 'update inboxes set lease_holder = null, leased_until = null', []);
  }
});

test('a send is claimed by one, even where two believe that they hold its inbox', async () => {
  await using s = await stage();
  await using b = elsewhere(s);
  await Promise.all(numbers(60).map((i) => s.send(`p${i}@people.test`)));
  const [inbox] = await rowsOf<Inbox>(s.h.db, 'select * from inboxes', []);
  const claimed: Send[] = [];
  while (claimed.length < 60) {
    const worlds = [s.h.world, b.world, s.h.world, b.world];
    const taken = (await Promise.all(worlds.map((world, i) => claimSends(world, [{ inbox: inbox!, limit: 5 }], `holder.${i}`)))).flat(2);
    assert.ok(taken.length > 0);
    claimed.push(...taken);
  }
  assert.equal(new Set(claimed.map((one) => one.id)).size, 60);
  assert.deepEqual(new Set(claimed.map((one) => `${one.fence} ${one.attempt_count} ${one.state}`)), new Set(['1 1 sending']));
  assert.equal(await count(s, 'send_attempts'), 60);
});

/** Sends in hand of a worker, without a worker. */
async function inHand(s: Stage, howMany: number): Promise<Send[]> {
  await Promise.all(numbers(howMany).map((i) => s.send(`p${i}@people.test`)));
  const until = new Date(s.h.now().getTime() + 60_000);
  return rowsOf<Send>(
    s.h.db,
    `with mine as (update sends set state = 'sending', fence = 1 returning *), taken as (
       insert into send_attempts (workspace_id, send_id, attempt, process_id, started_at, leased_until)
       select workspace_id, id, fence, 'worker', created_at, $1 from mine)
     select * from mine`,
    [until],
  );
}

/**
 * Starts two in either order, the second with a delay that changes from round to round: from none to all the time that the first one took of late,
 * so that they meet at every point of each other's way on a slow machine as well as on a fast one.
 */
function collider() {
  const took = [0, 0];
  const timed = async <T>(which: 0 | 1, work: () => Promise<T>) => {
    const began = performance.now();
    try {
      return await work();
    } finally {
      took[which] = performance.now() - began;
    }
  };
  return async <A, B>(round: number, a: () => Promise<A>, b: () => Promise<B>): Promise<[A, B]> => {
    const isFirst = round % 2 === 1;
    const delay = took[isFirst ? 0 : 1]! * ((Math.floor(round / 2) % 8) / 7);
    const late = async <T>(which: 0 | 1, work: () => Promise<T>) => {
      if (delay > 0) await pause(delay);
      return timed(which, work);
    };
    return isFirst ? Promise.all([timed(0, a), late(1, b)]) : Promise.all([late(0, a), timed(1, b)]);
  };
}

test('no dot is released after the commit of a suppression of its recipient: 120 collisions', async () => {
  await using s = await stage();
  await using b = elsewhere(s);
  const collide = collider();
  const outcomes = { granted: 0, fail: 0 };
  for (const [round, send] of (await inHand(s, 120)).entries()) {
    // What a suppression has not seen released when it commits must not be released after.
    const suppressing = () =>
      inTransaction(actingFor(b.world, send.workspace_id, 'live'), async (inside) => {
        await suppress(inside, { email: send.to_email, reason: 'manual' });
        const [row] = await rowsOf<{ dot_released_at: Date | null }>(inside.db, 'select dot_released_at from send_attempts where send_id = $1', [
          send.id,
        ]);
        return row!.dot_released_at !== null;
      });
    const [[verdict], wasReleased] = await collide(round, () => releaseDots(s.h.world, [send]), suppressing);
    assert.equal(verdict!.kind === 'granted', wasReleased, `round ${round}: ${verdict!.kind}, seen released: ${wasReleased}`);
    outcomes[verdict!.kind as keyof typeof outcomes]++;
  }
  // Both orders came up, or the rounds have shown nothing.
  assert.ok(outcomes.granted >= 5 && outcomes.fail >= 5, JSON.stringify(outcomes));
});

test('nor after the commit of a suppression of somebody on a copy: 60 collisions', async () => {
  await using s = await stage();
  await using b = elsewhere(s);
  const collide = collider();
  const outcomes = { granted: 0, fail: 0 };
  await Promise.all(numbers(60).map((i) => s.send(`q${i}@people.test`, { bcc: [`copy${i}@people.test`] })));
  for (const [round, send] of (await inHand(s, 0)).entries()) {
    const copy = send.to_email.replace('q', 'copy');
    const suppressing = () =>
      inTransaction(actingFor(b.world, send.workspace_id, 'live'), async (inside) => {
        await suppress(inside, { email: copy, reason: 'manual' });
        const text = 'select dot_released_at from send_attempts where send_id = $1';
        return (await rowsOf<{ dot_released_at: Date | null }>(inside.db, text, [send.id]))[0]!.dot_released_at !== null;
      });
    const releasing = () => releaseDots(s.h.world, [{ ...send, bcc: [{ email: copy, name: '' }] }]);
    const [[verdict], wasReleased] = await collide(round, releasing, suppressing);
    assert.equal(verdict!.kind === 'granted', wasReleased, `round ${round}: ${verdict!.kind}, seen released: ${wasReleased}`);
    outcomes[verdict!.kind as keyof typeof outcomes]++;
  }
  assert.ok(outcomes.granted >= 3 && outcomes.fail >= 3, JSON.stringify(outcomes));
});

test('a send is released by one of two who hold the same fence', async () => {
  await using s = await stage();
  await using b = elsewhere(s);
  const collide = collider();
  for (const [round, send] of (await inHand(s, 40)).entries()) {
    const [[one], [other]] = await collide(round, () => releaseDots(s.h.world, [send]), () => releaseDots(b.world, [send])); // prettier-ignore
    assert.deepEqual([one!.kind, other!.kind].sort(), ['granted', 'lost']);
  }
});

test('the cap is not exceeded by releases that collide', async () => {
  await using s = await stage();
  await using b = elsewhere(s);
  await s.api.inboxes.update(s.inbox.id, { daily_limit: 7 });
  const sends = await inHand(s, 40);
  const verdicts = await Promise.all(sends.map((send, i) => releaseDots(i % 2 ? s.h.world : b.world, [send])));
  assert.equal(verdicts.flat().filter((one) => one.kind === 'granted').length, 7);
});

test('a send is canceled or delivered, never both: 100 collisions of a cancel with a worker', async () => {
  await using s = await stage();
  await using b = elsewhere(s);
  const worker = await sendingLoop(b.world, { processId: 'worker.1.1', journalFolder: s.h.journalFolder });
  const collide = collider();
  const outcomes = { canceled: 0, sent: 0 };
  for (let round = 0; round < 100; round++) {
    const send = await s.send(`p${round}@people.test`);
    const cancel = () => s.api.sends.cancel(send.id).then(() => true, () => false); // prettier-ignore
    const work = () => worker.step().then(() => worker.idle());
    const [canceled] = await collide(round, cancel, work);
    const delivered = s.office.deliveries.some((one) => one.recipient === `p${round}@people.test`);
    const { state } = await s.row(send.id);
    assert.deepEqual([state, delivered], canceled ? ['canceled', false] : ['sent', true], `round ${round}`);
    outcomes[canceled ? 'canceled' : 'sent']++;
  }
  await worker.close?.();
  assert.ok(outcomes.canceled >= 5 && outcomes.sent >= 5, JSON.stringify(outcomes));
});

test('two planners side by side plan each lead once and no inbox beyond its day', async () => {
  await using s = await stage({ senders: SENDERS.slice(0, 2) });
  await using b = elsewhere(s);
  for (const inbox of s.inboxes) await s.api.inboxes.update(inbox.id, { daily_limit: 10 });
  for (const name of ['a', 'b', 'c']) await s.campaign(numbers(15).map((i) => `${name}${i}@people.test`));
  const planners = [campaignsLoop(s.h.world), campaignsLoop(b.world)];
  for (let round = 0; round < 10; round++) {
    // As if everybody had asked for another look at the same time.
    await rowsOf(s.h.db, 'update campaigns set next_plan_at = $1', [s.h.now()]);
    await Promise.all([...planners, ...planners].map((one) => one.step()));
  }
  const planned = await rowsOf<{ enrollment_id: string; inbox_id: string }>(s.h.db, 'select enrollment_id, inbox_id from sends', []);
  assert.equal(new Set(planned.map((one) => one.enrollment_id)).size, planned.length);
  const byInbox = Map.groupBy(planned, (one) => one.inbox_id);
  assert.deepEqual(
    [...byInbox.values()].map((those) => those.length),
    [10, 10],
  );
  await s.h.settle();
  assert.equal(s.office.deliveries.length, 20);
  assert.equal(new Set(s.office.deliveries.map((one) => one.recipient)).size, 20);
});

test('a planner waits for whoever has its inbox in hand, and plans what that one leaves of the day', async () => {
  await using s = await stage();
  await s.campaign(['one@people.test']);
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  let planning: Promise<unknown> | undefined;
  await inTransaction(s.h.world, async ({ db }) => {
    await rowsOf(db, 'update inboxes set day_count = daily_limit', []);
    planning = s.h.campaigns.step();
    while ((await rowsOf(s.h.db, waiting, [])).length === 0) await pause(5);
  });
  await planning;
  assert.deepEqual((await s.api.sends.list()).data, []);
});

test('a step that is planned is not planned again, even where its lead seems to be due', async () => {
  await using s = await stage();
  await s.campaign(['one@people.test']);
  await s.h.campaigns.step();
  await rowsOf(s.h.db, 'update enrollments set plan_due_at = $1', [s.h.now()]);
  await rowsOf(s.h.db, 'update campaigns set next_plan_at = $1', [s.h.now()]);
  await s.h.campaigns.step();
  assert.equal((await s.api.sends.list()).data.length, 1);
});

test('a unit of a day that is spent already is not spent again, even where the count is wrong', async () => {
  await using s = await stage();
  const [send] = await inHand(s, 1);
  const spent = `insert into budget_units (workspace_id, inbox_id, day, unit, send_id)
                 select workspace_id, id, day_started_at, day_count + 1, 'snd_other' from inboxes`;
  await rowsOf(s.h.db, spent, []);
  await assert.rejects(releaseDots(s.h.world, [send!]), { code: '23505' });
  const [attempt] = await rowsOf<{ dot_released_at: Date | null }>(s.h.db, 'select dot_released_at from send_attempts', []);
  assert.equal(attempt!.dot_released_at, null);
});

test('no two sends carry one Message-ID, whoever gives it', async () => {
  await using s = await stage();
  const [one, other] = [await s.send('one@people.test'), await s.send('two@people.test')];
  const same = rowsOf(s.h.db, 'update sends set rfc822_message_id = $2 where id = $1', [other.id, one.rfc822_message_id]);
  await assert.rejects(same, { code: '23505' });
});
