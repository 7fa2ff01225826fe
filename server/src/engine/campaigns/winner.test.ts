// Races between the variants of a step, from the mails that go out to the last mail after the decision.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Postrider } from '@postrider/sdk';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';

const MINUTE = 60_000;
const ALWAYS = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };
const QUIET = { open_probability: 0, click_probability: 0, reply_probability: 0, bounce_probability: 0 };
const LINK = '<a href="https://example.com/">Look</a><a href="https://example.com/more">More</a>';
const READER = { 'user-agent': 'Mozilla/5.0 Firefox/140.0' };

type Wish = { metric: 'reply' | 'click' | 'open'; min_sends: number };
type Options = { wish: Wish; count: number; limit: number; address?: (i: number) => string };

/** A running campaign of one step in two texts, `limit` mails a day. */
async function race(h: House, api: Postrider, { wish, count, limit, address = (i) => `p${i}@people.test` }: Options) {
  const inbox = await api.inboxes.createSandbox({ sandbox_config: QUIET, email_address: 'sam@sandbox.postrider.test' });
  await api.inboxes.update(inbox.id, { daily_limit: limit });
  const variants = [{ subject: 'B', body_html: LINK }, { subject: 'Off', body_html: LINK, disabled: true }]; // prettier-ignore
  const sequence = await api.sequences.create({ name: 'S', steps: [{ subject: 'A', body_html: LINK, variants, auto_winner: wish }] as never });
  const wanted = { name: 'C', sequence_id: sequence.id, sending_inbox_ids: [inbox.id], schedule: ALWAYS, track_opens: true, track_clicks: true };
  const { id } = await api.campaigns.create(wanted);
  const contacts = (await api.contacts.batch({ contacts: Array.from({ length: count }, (_, i) => ({ email: address(i) })) })).created;
  await api.campaigns.addContacts(id, { contact_ids: contacts.map((one) => one.id) });
  await api.campaigns.start(id);
  const step = async () => (await api.campaigns.steps(id)).data[0]!;
  const told = async () => (await api.events.list({ type: 'campaign.winner_chosen' })).data;
  return { id, inbox, contacts, step, told, b: (await step()).variants![0]!.id };
}
type Sent = { id: string; subject: string; state: string; sent_at: Date | null; body_html: string };
const mails = (h: House, id: string) =>
  rowsOf<Sent>(
    h.db,
    `select s.*, c.body_html from sends s join send_contents c on c.workspace_id = s.workspace_id and c.send_id = s.id
      where s.campaign_id = $1 order by s.sent_at nulls last, s.id`,
    [id],
  );
const sentAs = async (h: House, id: string, subject?: string) =>
  (await mails(h, id)).filter((one) => one.state === 'sent' && (subject === undefined || one.subject === subject));
async function hit(h: House, mail: Sent, link: RegExp, headers: Record<string, string> = READER) {
  const url = link.exec(mail.body_html)![1]!.replace('http://house.test', '');
  assert.ok((await h.app.inject({ url, remoteAddress: '81.2.69.142', headers })).statusCode < 400);
}
const PIXEL = /src="([^"]+)"/;
const FIRST = /href="([^"]+)"/;
const SECOND = /href="[^"]+"[^]*?href="([^"]+)"/;
const counts = (h: House) => rowsOf<{ opened: number }>(h.db, 'select variant_id, sent, replied, opened, clicked from variant_counts order by 1', []);

test('opens by people decide; what waits in the other text is planned anew, and from then on only the winner leaves', async () => {
  await using h = await house();
  const api = await h.api();
  const { id, b, step, told } = await race(h, api, { wish: { metric: 'open', min_sends: 4 }, count: 60, limit: 24 });
  await h.run(5 * MINUTE);
  const first = await sentAs(h, id);
  const [mine, other] = [first.filter((one) => one.subject === 'B'), first.filter((one) => one.subject === 'A')];
  assert.ok(mine.length >= 4 && other.length >= 4, `${mine.length} ${other.length}`);
  // Machines open all of A, twice each; two people open B, one of them again.
  for (const one of other) for (const _ of [1, 2]) await hit(h, one, PIXEL, { 'user-agent': 'python-requests/2' });
  assert.deepEqual(await told(), []);
  h.tick(24 * 60 * MINUTE);
  await h.housekeeping.step();
  // The next day's mails are written down in both texts before anybody has opened one.
  await h.campaigns.step();
  const waiting = (await mails(h, id)).filter((one) => one.state === 'scheduled');
  assert.deepEqual(new Set(waiting.map((one) => one.subject)), new Set(['A', 'B']));
  for (const one of [mine[0]!, mine[1]!, mine[1]!]) await hit(h, one, PIXEL);
  h.tick(MINUTE);
  await h.campaigns.step();
  const [event] = await told();
  assert.deepEqual(event!.data['results'], [
    { variant_id: (await step()).id, sent: other.length, hits: 0 },
    { variant_id: b, sent: mine.length, hits: 2 },
  ]);
  assert.deepEqual([event!.resource_id, event!.data['winning_variant_id'], event!.previous], [id, b, { winning_variant_id: null }]);
  assert.equal((await step()).winning_variant_id, b);
  await h.run(3 * 24 * 60 * MINUTE, 60 * MINUTE);
  const later = (await sentAs(h, id)).slice(first.length);
  assert.deepEqual([later.length, new Set(later.map((one) => one.subject))], [60 - first.length, new Set(['B'])]);
  assert.equal((await told()).length, 1);
});

test("the step's own text can win, and goes by the step's id; a mass of clicks that turns out to be a machine's is taken back", async () => {
  await using h = await house();
  const api = await h.api();
  const { id, b, step, told } = await race(h, api, { wish: { metric: 'click', min_sends: 3 }, count: 40, limit: 16 });
  await h.run(5 * MINUTE);
  const [a1] = await sentAs(h, id, 'A');
  const theirs = await sentAs(h, id, 'B');
  // Both links at once: the first click had passed for a person's.
  for (const one of theirs.slice(0, 2)) for (const link of [FIRST, SECOND]) await hit(h, one, link);
  await h.run(MINUTE);
  await hit(h, a1!, FIRST);
  await h.run(24 * 60 * MINUTE, 60 * MINUTE);
  const { id: own, winning_variant_id: winner } = await step();
  assert.equal(winner, own);
  assert.deepEqual((await told())[0]!.data['results'], [
    { variant_id: own, sent: (await sentAs(h, id, 'A')).filter((one) => one.sent_at!.getTime() < START + 30 * MINUTE).length, hits: 1 },
    { variant_id: b, sent: theirs.length, hits: 0 },
  ]); // prettier-ignore
  const decided = Date.parse((await told())[0]!.created_at);
  const later = (await sentAs(h, id)).filter((one) => one.sent_at!.getTime() >= decided);
  assert.deepEqual([later.length > 0, new Set(later.map((one) => one.subject))], [true, new Set(['A'])]);
  // Chosen once: whatever comes later changes nothing.
  for (const one of theirs) await hit(h, one, FIRST);
  await h.run(24 * 60 * MINUTE, 60 * MINUTE);
  assert.deepEqual([(await step()).winning_variant_id, (await told()).length], [own, 1]);
});
const START = Date.parse('2030-01-07T09:00:00Z');

test('under the test clock, by answers of people', async () => {
  await using h = await house();
  const api = await h.api();
  // Every third answers, every third of these is only away.
  const address = (i: number) => (i % 3 ? `p${i}@people.test` : i % 9 ? `reply-${i}@sandbox.postrider.test` : `ooo-${i}@sandbox.postrider.test`);
  const { id, step, told } = await race(h, api, { wish: { metric: 'reply', min_sends: 15 }, count: 120, limit: 20, address });
  await api.testClock.advance({ seconds: 10 * 86_400 });
  const [event] = await told();
  const winner = (await step()).winning_variant_id;
  assert.equal(event!.data['winning_variant_id'], winner);
  const results = event!.data['results'] as { variant_id: string; sent: number; hits: number }[];
  const rate = (one: { sent: number; hits: number }) => one.hits / one.sent;
  assert.equal(results.toSorted((x, y) => rate(y) - rate(x))[0]!.variant_id, winner);
  const subject = winner === (await step()).id ? 'A' : 'B';
  // Much happens at one instant of a walk: the log tells what came first.
  const left = await rowsOf<{ sequence: number; subject: string }>(
    h.db,
    `select sequence, data ->> 'subject' as subject from events where type = 'send.sent'`,
    [],
  );
  const [before, after] = [left.filter((one) => one.sequence < event!.sequence), left.filter((one) => one.sequence > event!.sequence)];
  assert.deepEqual([left.length, results.reduce((sum, one) => sum + one.sent, 0)], [120, before.length]);
  assert.equal((await sentAs(h, id)).length, 120);
  assert.deepEqual(new Set(after.map((one) => one.subject)), new Set([subject]));
  assert.deepEqual(h.lines, []);
});

test('what is counted mail by mail is what a count of the mails says, which a race that is opened by hand begins with', async () => {
  await using h = await house();
  const api = await h.api();
  const address = (i: number) => (i % 2 ? `p${i}@people.test` : `reply-${i}@sandbox.postrider.test`);
  // Nobody is ever ahead enough: there are not so many mails.
  const { id, step } = await race(h, api, { wish: { metric: 'reply', min_sends: 100 }, count: 40, limit: 30, address });
  await api.testClock.advance({ seconds: 12 * 3_600 });
  for (const one of (await sentAs(h, id)).slice(0, 9)) await hit(h, one, PIXEL);
  await api.testClock.advance({ seconds: 86_400 });
  await api.campaigns.addContacts(id, { contact_ids: [(await api.contacts.create({ email: 'last@people.test' })).id] });
  await api.testClock.advance({ seconds: 60 });
  const counted = await counts(h);
  assert.deepEqual([counted.length, counted.reduce((sum, one) => sum + one.opened, 0)], [2, 9]);
  await api.campaigns.addContacts(id, { contact_ids: [(await api.contacts.create({ email: 'really@people.test' })).id] });
  await api.campaigns.pause(id);
  await api.campaigns.updateStep(id, (await step()).id, { auto_winner: { metric: 'reply', min_sends: 90 } });
  assert.deepEqual(await counts(h), counted);
  // By hand: the race is over, and open again, with all that it had.
  await api.campaigns.updateStep(id, (await step()).id, { winning_variant_id: (await step()).id });
  await api.campaigns.updateStep(id, (await step()).id, { winning_variant_id: null, auto_winner: { metric: 'open', min_sends: 5 } });
  assert.deepEqual(await counts(h), counted);
  await api.campaigns.resume(id);
  await api.testClock.advance({ seconds: 60 });
  assert.notEqual((await step()).winning_variant_id, null);
});
