// Leads that are taken out of a campaign while a mail to them is on its way, and put back in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Stage, stage } from '#testing/stage.ts';
import { claimSends, leaseInboxes } from './claim.ts';
import { finishAll } from './finish.ts';
import type { Outcome } from './outcome.ts';
import { releaseDots } from './release.ts';

const MINUTE = 60_000;
const ACCEPTED: Outcome = { kind: 'accepted', reply: { code: 250, enhanced: null, text: 'ok' } };
const REFUSED: Outcome = { kind: 'refused', phase: 'dot', permanent: true, reply: { code: 554, enhanced: '5.7.1', text: 'no' } };

/** A campaign whose first mail, to `one`, is in a worker's hands. `out` takes the lead to another campaign, `back` puts it in again. */
async function onItsWay(s: Stage, steps: number) {
  const { id, contacts } = await s.campaign(['one@people.test'], { steps });
  const { data } = await s.api.sequences.list();
  const elsewhere = await s.api.campaigns.create({ name: 'Elsewhere', sequence_id: data[0]!.id, sending_inbox_ids: [s.inbox.id] });
  await s.h.campaigns.step();
  const [inbox] = await leaseInboxes(s.h.world, 'worker.1.1', 1);
  const [claimed] = await claimSends(s.h.world, [{ inbox: inbox!, limit: 1 }], 'worker.1.1');
  const send = claimed![0]!;
  const contact_ids = [contacts[0]!.id];
  return {
    release: async () => (await releaseDots(s.h.world, [send]))[0]!,
    ends: (outcome: Outcome) => finishAll(s.h.world, [{ send, outcome, at: s.h.now() }]),
    out: () => s.api.campaigns.moveContacts(id, { to_campaign_id: elsewhere.id, contact_ids }),
    back: () => s.api.campaigns.addContacts(id, { contact_ids }),
    async lead() {
      const [lead] = (await s.api.campaigns.contacts(id)).data;
      return `${lead!.status}:${lead!.current_step}`;
    },
    /** Another lead, who shows that the campaign goes on; then what everybody has had. */
    async goesOn() {
      const { id: other } = await s.api.contacts.create({ email: 'two@people.test' });
      await s.api.campaigns.addContacts(id, { contact_ids: [other] });
      s.h.tick(31 * MINUTE);
      for (let i = 0; i < 4; i++) {
        await s.h.campaigns.step();
        await s.h.settle();
        s.h.tick(31 * MINUTE);
      }
      assert.deepEqual(s.h.lines, []);
      const sends = (await s.api.sends.list({ limit: 100 })).data.filter((one) => one.campaign_id === id);
      return Map.groupBy(sends.map((one) => `${one.to_email.split('@')[0]} ${one.state}`).sort(), (one) => one); // prettier-ignore
    },
  };
}
const counted = (those: Map<string, string[]>) => Object.fromEntries([...those].map(([what, all]) => [what, all.length]));

test('taken out before the answer: the mail counts, and whoever is put back in goes on behind it, in its thread', async () => {
  await using s = await stage();
  const way = await onItsWay(s, 2);
  assert.equal((await way.release()).kind, 'granted');
  await way.out();
  await way.ends(ACCEPTED);
  assert.equal(await way.lead(), 'removed:1');
  assert.ok((await s.events()).includes('campaign.contact.advanced'));
  await way.back();
  assert.equal(await way.lead(), 'active:1');
  assert.deepEqual(counted(await way.goesOn()), { 'one sent': 2, 'two sent': 2 });
  const [last] = (await s.api.sends.list({ limit: 100 })).data.filter((one) => one.to_email === 'one@people.test');
  assert.equal(last!.subject, 'Re: Hello');
});

test('taken out before the answer to the last mail: it has come to its end, and is not put back in', async () => {
  await using s = await stage();
  const way = await onItsWay(s, 1);
  await way.release();
  await way.out();
  await way.ends(ACCEPTED);
  assert.equal(await way.lead(), 'finished:0');
  assert.equal((await way.back()).already_enrolled, 1);
  assert.deepEqual(counted(await way.goesOn()), { 'one sent': 1, 'two sent': 1 });
});

test('put back in before the answer: it waits for the mail that is on its way', async () => {
  await using s = await stage();
  const way = await onItsWay(s, 2);
  await way.release();
  await way.out();
  assert.equal((await way.back()).restored, 1);
  await s.h.campaigns.step();
  assert.equal((await s.api.sends.list()).data.length, 1);
  await way.ends(ACCEPTED);
  assert.equal(await way.lead(), 'active:1');
  assert.deepEqual(counted(await way.goesOn()), { 'one sent': 2, 'two sent': 2 });
});

test('denied because it was out, and back in when that is written: its step is planned anew', async () => {
  await using s = await stage();
  const way = await onItsWay(s, 1);
  await way.out();
  const denial = await way.release();
  assert.ok(denial.kind === 'cancel');
  await way.back();
  await way.ends({ kind: 'denied', denial });
  assert.equal(await way.lead(), 'active:0');
  assert.deepEqual(counted(await way.goesOn()), { 'one canceled': 1, 'one sent': 1, 'two sent': 1 });
});

test('refused while it was out: put back in it ends as it would have, and holds up nobody', async () => {
  await using s = await stage();
  const way = await onItsWay(s, 2);
  await way.release();
  await way.out();
  await way.ends(REFUSED);
  assert.equal(await way.lead(), 'removed:0');
  await way.back();
  assert.equal(await way.lead(), 'failed:0');
  assert.deepEqual(counted(await way.goesOn()), { 'one failed': 1, 'two sent': 2 });
});
