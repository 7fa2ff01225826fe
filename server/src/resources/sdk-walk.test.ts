import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PostriderError } from '@postrider/sdk';
import { house } from '#testing/house.ts';

const QUIET = { open_probability: 0, click_probability: 0, reply_probability: 0, bounce_probability: 0 };
const CSV = 'email,First Name\nann@example.com,Ann\nANN@example.com,Ann\nnobody,No\n';

test('keys through the SDK: listed, rotated, revoked', async () => {
  await using h = await house();
  const api = await h.api();
  const key = await api.apiKeys.create({ name: 'ci' });
  assert.ok((await api.apiKeys.list()).data.some((one) => one.id === key.id));
  const rotated = await api.apiKeys.rotate(key.id, { confirm: true });
  assert.notEqual(rotated.secret, key.secret);
  assert.ok((await api.apiKeys.revoke(key.id, { confirm: true })).revoked_at);
});

test('people through the SDK: imported, grouped, classified, suppressed', async () => {
  await using h = await house();
  const api = await h.api();
  const job = await api.contactImports.create({ file: CSV, audience_name: 'Leads' });
  assert.deepEqual(await api.contactImports.retrieve(job.id), (await api.contactImports.list()).data[0]);
  assert.deepEqual(job.errors.map((one) => one.error.code).sort(), ['duplicate_row', 'invalid_email']);
  const unreadable = await api.contactImports.create({ file: 'a,b\n1,2\n' });
  assert.deepEqual([unreadable.status, unreadable.errors[0]?.error.code], ['failed', 'import_unreadable']);
  const audience = await api.audiences.update(job.audience_id!, { name: 'Friends' });
  assert.deepEqual(await api.audiences.retrieve(audience.id), (await api.audiences.list()).data[0]);
  const [contact] = (await api.contacts.list()).data;
  assert.equal((await api.contacts.setLeadStatus(contact!.id, { lead_status: 'interested' })).lead_status, 'interested');
  assert.equal((await api.audiences.removeContact(audience.id, contact!.id)).deleted, true);
  assert.equal((await api.audiences.delete(audience.id)).id, audience.id);
  const { created } = await api.suppressions.batch({ suppressions: [{ email: 'a@example.com' }, { email: 'no' }] });
  const [suppression] = created;
  assert.deepEqual(await api.suppressions.retrieve(suppression!.id), suppression);
  assert.deepEqual((await api.suppressions.list({ reason: 'manual' })).data, [suppression]);
  await api.suppressions.delete(suppression!.id);
  await assert.rejects(api.suppressions.retrieve(suppression!.id), (error) => error instanceof PostriderError && error.code === 'resource_missing');
});

test('sequences through the SDK: steps added, changed, put in order, taken out', async () => {
  await using h = await house();
  const api = await h.api();
  const { id } = await api.sequences.create({ name: 'One', steps: [{ subject: 'Hi', body_text: 'Hello' }] });
  const added = await api.sequences.addStep(id, { subject: 'Again', body_text: 'Hello again', delay_days: 2 });
  const split = await api.sequences.updateStep(id, added.id, { variants: [{ subject: 'Other', body_text: 'Hello' }] });
  const variant = split.variants![0]!.id;
  assert.equal((await api.sequences.updateStep(id, added.id, { winning_variant_id: variant })).winning_variant_id, variant);
  const { steps } = await api.sequences.retrieve(id);
  const turned = await api.sequences.reorderSteps(id, { step_ids: steps!.map((one) => one.id).toReversed() });
  assert.deepEqual(turned.steps!.map((one) => one.id), steps!.map((one) => one.id).toReversed()); // prettier-ignore
  await api.sequences.updateStep(id, added.id, { auto_winner: { metric: 'reply' } });
  const removed = await api.sequences.deleteStep(id, added.id);
  assert.deepEqual([removed.winning_variant_id, removed.auto_winner], [variant, { metric: 'reply', min_sends: 100 }]);
  assert.equal((await api.sequences.list()).data[0]!.step_count, 1);
  assert.equal((await api.sequences.delete(id)).id, id);
});

test('a campaign through the SDK: drafted, edited, rehearsed, run, left and deleted', async () => {
  await using h = await house();
  const api = await h.api();
  const inbox = await api.inboxes.createSandbox({ display_name: 'Ann', sandbox_config: QUIET });
  const sequence = await api.sequences.create({ name: 'One', steps: [{ subject: 'Hi {{first_name}}', body_text: 'Hello' }] });
  const [target, campaign] = [await draft('Other'), await draft('Spring')];
  async function draft(name: string) {
    const schedule = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };
    return api.campaigns.create({ name, sequence_id: sequence.id, sending_inbox_ids: [inbox.id], schedule });
  }
  assert.equal((await api.campaigns.update(campaign.id, { name: 'Summer' })).name, 'Summer');
  const added = await api.campaigns.addStep(campaign.id, { body_text: 'Any thoughts?', delay_days: 2, variants: [{ body_text: 'Well?' }] });
  const [variant] = added.variants!;
  const won = await api.campaigns.updateStep(campaign.id, added.id, { winning_variant_id: variant!.id });
  assert.deepEqual([won.winning_variant_id, won.variants!.length, won.source_step_id], [variant!.id, 1, null]);
  const extra = await api.campaigns.addStep(campaign.id, { body_text: 'Last one' });
  const order = (await api.campaigns.steps(campaign.id)).data.map((one) => one.id);
  const turned = [order[0]!, order[2]!, order[1]!];
  const reordered = await api.campaigns.reorderSteps(campaign.id, { step_ids: turned });
  assert.deepEqual(reordered.sequence_steps!.map((one) => one.id), turned); // prettier-ignore
  const split = await api.campaigns.updateStep(campaign.id, extra.id, {
    variants: [{ body_text: 'Bye' }],
    auto_winner: { metric: 'click', min_sends: 9 },
  });
  await api.campaigns.updateStep(campaign.id, extra.id, { winning_variant_id: split.variants![0]!.id });
  const removed = await api.campaigns.deleteStep(campaign.id, extra.id);
  assert.deepEqual(
    [removed.deleted, removed.auto_winner, removed.winning_variant_id],
    [true, { metric: 'click', min_sends: 9 }, removed.variants![0]!.id],
  );
  const people = (await api.contacts.batch({ contacts: [{ email: 'a@example.com' }, { email: 'b@example.com' }] })).created.map((one) => one.id);
  assert.equal((await api.campaigns.addContacts(campaign.id, { contact_ids: people })).attached, 2);
  const moved = await api.campaigns.moveContacts(campaign.id, { to_campaign_id: target.id, contact_ids: people.slice(1) });
  assert.deepEqual([moved.attached, moved.removed_from_source, moved.target_campaign_id], [1, 1, target.id]);
  const rehearsal = await api.campaigns.start(campaign.id, { dry_run: true });
  assert.deepEqual([rehearsal.ok, rehearsal.contacts, rehearsal.warnings[0]?.variable], [true, 1, 'first_name']);
  assert.equal((await api.campaigns.start(campaign.id)).status, 'running');
  await h.run(5 * 60_000);
  const [lead] = (await api.campaigns.contacts(campaign.id, { status: 'active' })).data;
  assert.deepEqual([lead!.contact_id, lead!.current_step, lead!.assigned_inbox_id], [people[0], 1, inbox.id]);
  const { send_status: verdict } = await api.campaigns.retrieve(campaign.id);
  assert.equal(verdict, 'waiting_on_followup_delays');
  assert.equal((await api.campaigns.pause(campaign.id)).status, 'paused');
  assert.equal((await api.campaigns.resume(campaign.id)).status, 'running');
  assert.equal((await api.campaigns.list({ status: 'running' })).data[0]!.id, campaign.id);
  assert.equal((await api.campaigns.delete(campaign.id, { confirm: true })).id, campaign.id);
  const [send] = (await api.sends.list({ inbox_id: inbox.id })).data;
  assert.deepEqual([send!.state, send!.campaign_id, send!.provider_message_id], ['sent', campaign.id, send!.rfc822_message_id]);
});

test('mail through the SDK: sent alone and in numbers, canceled, looked at, answered; the inbox is taken away', async () => {
  await using h = await house();
  const api = await h.api();
  const inbox = await api.inboxes.createSandbox({ sandbox_config: QUIET });
  const letter = { subject: 'Hi', body_text: 'Hello' };
  const later = new Date(h.now().getTime() + 3_600_000).toISOString();
  const waiting = await api.sends.create({ ...letter, to: 'ann@example.com', inbox_id: inbox.id, send_at: later });
  const canceled = await api.sends.cancel(waiting.id);
  assert.deepEqual([canceled.state, canceled.provider_message_id], ['canceled', null]);
  const bulk = await api.sends.create({ ...letter, to: ['a@example.com', 'no', 'a@example.com'], from_strategy: { type: 'rotate' } });
  assert.deepEqual([bulk.created.length, bulk.errors.map((one) => one.error.code)], [1, ['invalid_email', 'duplicate_recipient']]);
  const sent = await api.sends.retrieve(bulk.created[0]!.id, { expand: 'inbox' });
  assert.deepEqual([sent.inbox!.id, sent.state], [inbox.id, 'sent']);
  const [message] = (await api.messages.list({ direction: 'outbound', expand: 'inbox' })).data;
  assert.deepEqual(await api.messages.retrieve(message!.id, { expand: 'inbox' }), message);
  const { html, text } = await api.messages.body(message!.id);
  assert.deepEqual([html, text], [null, null]);
  const [thread] = (await api.threads.list({ inbox_id: inbox.id })).data;
  const whole = await api.threads.retrieve(thread!.id);
  assert.deepEqual([whole.messages!.map((one) => one.id), whole.messages_has_more], [[message!.id], false]);
  const reply = await api.threads.reply(thread!.id, { to: 'a@example.com', body_text: 'More' });
  assert.deepEqual([reply.subject, reply.state, (await api.threads.retrieve(thread!.id)).message_count], ['Re: Hi', 'sent', 2]);
  assert.equal((await api.inboxes.update(inbox.id, { display_name: 'Ann' })).display_name, 'Ann');
  const gone = await api.inboxes.delete(inbox.id, { confirm: true });
  assert.deepEqual([gone.status, (await api.inboxes.retrieve(inbox.id)).revoked_at], ['revoked', h.now().toISOString()]);
  assert.deepEqual((await api.inboxes.list({ status: 'active' })).data, []);
  const [event] = (await api.events.list({ type: 'inbox.disconnected' })).data;
  assert.deepEqual([(await api.events.retrieve(event!.id)).resource_id, (await api.workspace.retrieve()).object], [inbox.id, 'workspace']);
});
