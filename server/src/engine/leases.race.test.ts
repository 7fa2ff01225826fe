// Each loop picks inboxes in an order of its own: were it to wait for one, two loops would sooner or later wait for each other.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { inTransaction, rowsOf } from '#store/db.ts';
import { plan } from '#resources/warmup/index.ts';
import { MailboxError } from '#mail/mail.ts';
import { type Stage, stage } from '#testing/stage.ts';
import { leaseInboxes } from './sending/claim.ts';
import { leaseForWarmup } from './warmup/claim.ts';

const SENDERS = ['ann@sender.test', 'bob@sender.test', 'cat@sender.test'];
const holds = async (s: Stage, column: string) =>
  (await rowsOf<{ id: string }>(s.h.db, `select id from inboxes where ${column} is not null order by id`, [])).map((row) => row.id);

/** What is taken while another transaction holds the second inbox: all others, at once. */
async function passesBy(s: Stage, column: string, take: () => Promise<unknown>): Promise<void> {
  const held = s.inboxes[1]!.id;
  const others = s.inboxes.map((one) => one.id).filter((id) => id !== held);
  const waiting = pause(50_000, 'it waited', { ref: false });
  await inTransaction(s.h.world, async ({ db }) => {
    await rowsOf(db, 'select 1 from inboxes where id = $1 for update', [held]);
    assert.notEqual(await Promise.race([take(), waiting]), 'it waited');
  });
  assert.deepEqual(await holds(s, column), others.sort());
  await take();
  assert.deepEqual(await holds(s, column), [...others, held].sort());
}

test('an inbox that somebody holds is passed by: sending', async () => {
  await using s = await stage({ senders: SENDERS });
  for (const { id } of s.inboxes) await s.send('one@people.test', { inbox_id: id });
  await passesBy(s, 'lease_holder', () => leaseInboxes(s.h.world, 'holder', 10));
});

test('an inbox that somebody holds is passed by: reading', async () => {
  await using s = await stage({ senders: SENDERS });
  // Whoever reads holds its lease for as long as we wish, not until a deadline.
  const silent = Promise.withResolvers<never>();
  s.h.world.mail.openMailbox = () => silent.promise;
  try {
    await passesBy(s, 'poll_lease_holder', () => s.h.inbound.step());
  } finally {
    silent.reject(new MailboxError('timeout', 'Nothing was said.'));
  }
});

test('an inbox that somebody holds is passed by: warm-up', async () => {
  await using s = await stage({ senders: SENDERS });
  const workspace = await s.h.workspace('one');
  const wanted = s.inboxes.map((inbox, i) => ({
    workspace_id: workspace,
    inbox_id: inbox.id,
    to_workspace_id: workspace,
    to_inbox_id: s.inboxes[(i + 1) % 3]!.id,
    senderAddress: inbox.email_address,
    day: '2026-01-05',
    scheduled_at: s.h.now(),
  }));
  await plan(s.h.world, wanted);
  await passesBy(s, 'lease_holder', () => leaseForWarmup(s.h.world, 'holder', 10, []));
});
