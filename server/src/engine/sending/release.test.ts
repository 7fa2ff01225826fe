// Each stop against a release, one of them halted between its work and its commit: the other waits, and then sees what was committed.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { stopLeads } from '#resources/campaigns/index.ts';
import { inTransaction, rowsOf } from '#store/db.ts';
import { type Stage, stage } from '#testing/stage.ts';
import { actingFor } from '#world/ctx.ts';
import { type ReleaseWish, releaseDots } from './release.ts';

type InHand = ReleaseWish & { campaign_id: string; contact_id: string; enrollment_id: string };

/** A campaign's send in hand of a worker. Its planner is due already, so that a stop has no business with the campaign's row but its own. */
async function inHand(s: Stage): Promise<InHand> {
  await s.campaign(['one@people.test']);
  await s.h.campaigns.step();
  await rowsOf(s.h.db, 'update campaigns set next_plan_at = $1', [s.h.now()]);
  const [send] = await rowsOf<InHand>(
    s.h.db,
    `with mine as (update sends set state = 'sending', fence = 1 returning *), taken as (
       insert into send_attempts (workspace_id, send_id, attempt, process_id, started_at, leased_until)
       select workspace_id, id, fence, 'worker', created_at, $1 from mine)
     select * from mine`,
    [new Date(s.h.now().getTime() + 10_000)],
  );
  return send!;
}

/** Do `work` in a transaction that is committed when the answer is called. */
async function uncommitted<T>({ h: { world } }: Stage, work: (db: Stage['h']['db']) => Promise<T>) {
  const did = Promise.withResolvers<T>();
  const go = Promise.withResolvers<void>();
  const ended = inTransaction(world, async ({ db }) => {
    did.resolve(await work(db));
    await go.promise;
  });
  ended.catch(did.reject);
  const commit = () => {
    go.resolve();
    return ended;
  };
  return { did: await did.promise, commit, [Symbol.asyncDispose]: commit };
}

const isPending = async (work: Promise<unknown>) => (await Promise.race([work.then(() => 'done'), pause(60, 'pending')])) === 'pending';

type Stop = { ask(s: Stage, send: InHand): Promise<unknown>; write: string; of: keyof InHand; gate: string };
const stops: Record<string, Stop> = {
  'an unsubscribe': {
    ask: (s, { contact_id: id }) => s.api.contacts.update(id, { global_status: 'unsubscribed' }),
    write: `update contacts set global_status = 'unsubscribed' where id = $1`,
    of: 'contact_id',
    gate: 'contact unsubscribed',
  },
  'a deletion of the contact': {
    ask: (s, { contact_id: id }) => s.api.contacts.delete(id),
    write: 'delete from contacts where id = $1',
    of: 'contact_id',
    gate: 'contact deleted',
  },
  'a pause of the campaign': {
    ask: (s, { campaign_id: id }) => s.api.campaigns.pause(id),
    write: `update campaigns set status = 'paused' where id = $1`,
    of: 'campaign_id',
    gate: 'campaign paused',
  },
  'a deletion of the campaign': {
    ask: (s, { campaign_id: id }) => s.api.campaigns.delete(id),
    write: 'delete from campaigns where id = $1',
    of: 'campaign_id',
    gate: 'campaign deleted',
  },
  'a pause of the inbox': {
    ask: (s, { inbox_id: id }) => s.api.inboxes.update(id, { status: 'paused' }),
    write: `update inboxes set status = 'paused' where id = $1`,
    of: 'inbox_id',
    gate: 'inbox paused',
  },
  'a reply': {
    ask: ({ h: { world } }, { workspace_id: workspaceId, enrollment_id: id, campaign_id }) =>
      inTransaction(actingFor(world, workspaceId, 'live'), (inside) => stopLeads(inside, [{ id, campaign_id }], 'replied')),
    write: `update enrollments set status = 'replied' where id = $1`,
    of: 'enrollment_id',
    gate: 'enrollment replied',
  },
  'a suppression': {
    ask: (s) => s.api.suppressions.create({ email: 'one@people.test' }),
    write: `with sup as (insert into suppressions (workspace_id, mode, id, email, email_key, reason, created_at)
              select workspace_id, mode, 'sup_1', to_email, to_email_key, 'manual', created_at from sends where id = $1)
            select 1 from sends where id = $1 for no key update`,
    of: 'id',
    gate: 'suppression',
  },
};

for (const [what, { ask, write, of, gate }] of Object.entries(stops)) {
  test(`${what}: a release that comes while it is being committed waits, and is denied`, async () => {
    await using s = await stage();
    const send = await inHand(s);

    await using stop = await uncommitted(s, (db) => rowsOf(db, write, [send[of]]));
    const asked = releaseDots(s.h.world, [send]);
    assert.ok(await isPending(asked), 'the release did not wait');
    await stop.commit();
    const [denial] = await asked;
    assert.equal(denial!.kind !== 'granted' && denial!.kind !== 'lost' && denial!.gate, gate);
  });

  test(`${what} waits for a release that is being committed`, async () => {
    await using s = await stage();
    const send = await inHand(s);
    await using release = await uncommitted(s, (db) => releaseDots({ ...s.h.world, db }, [send]));
    assert.equal(release.did[0]!.kind, 'granted');
    const stopping = ask(s, send);
    assert.ok(await isPending(stopping), 'the stop did not wait');
    await release.commit();
    await stopping;
  });
}
