import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused } from '#testing/refused.ts';
import { stage } from '#testing/stage.ts';

test('explain says what the planner then does, at each turn of a lead; the budget says which send took which unit', async () => {
  await using s = await stage({ senders: ['ann@sender.test'] });
  await s.api.inboxes.update(s.inbox.id, { daily_limit: 2 });
  const { id, contacts } = await s.campaign(['a@people.test', 'b@people.test', 'c@people.test'], { steps: 2, delayMinutes: 30 });
  const asked = async (contact: string) => {
    const { eligible, blocked_by, next_eligible_at } = await s.api.campaigns.explain(id, contact);
    return [eligible, blocked_by, next_eligible_at];
  };
  const now = s.h.now().toISOString();
  const answers = await Promise.all(contacts.map(async (one) => ({ id: one.id, says: await asked(one.id) })));
  const first = answers.filter(({ says }) => says[0] === true);
  assert.deepEqual(first.map(({ says }) => says), [[true, null, now], [true, null, now]]); // prettier-ignore
  const [last] = answers.filter(({ says }) => says[0] === false);
  assert.deepEqual(last!.says, [false, 'turn', null]);
  const [a, c] = [first[0]!.id, last!.id];
  await s.h.campaigns.step();
  assert.deepEqual((await asked(a)).slice(0, 2), [false, 'open_send']);
  assert.deepEqual((await asked(c)).slice(0, 2), [false, 'inbox_cap']);
  await s.h.settle();
  assert.deepEqual(await asked(a), [false, 'delay', '2030-01-08T00:00:00.000Z']);
  const budget = await s.api.inboxes.budget(s.inbox.id);
  assert.deepEqual([budget.effective_daily_limit, budget.used, budget.left, budget.next_free_at], [2, 2, 0, '2030-01-08T00:00:00.000Z']);
  const sends = (await s.api.sends.list()).data.map((one) => one.id);
  assert.deepEqual([budget.units.map((one) => one.unit), new Set(budget.units.map((one) => one.send_id))], [[1, 2], new Set(sends)]);
  assert.equal(budget.status, 'over_quota_today');

  await s.api.inboxes.update(s.inbox.id, { daily_limit: 3 });
  assert.deepEqual(await asked(c), [true, null, s.h.now().toISOString()]);
  await s.api.contacts.update(c, { global_status: 'unsubscribed' });
  assert.equal((await asked(c))[0], false);
  await s.api.inboxes.update(s.inbox.id, { status: 'paused' });
  s.h.tick(40 * 60_000);
  assert.deepEqual((await asked(a)).slice(0, 2), [false, 'inbox_status']);
  assert.equal((await s.api.inboxes.budget(s.inbox.id)).next_free_at, null);
  await s.api.campaigns.pause(id);
  assert.deepEqual((await asked(a)).slice(0, 2), [false, 'campaign_status']);
  await refused(s.api.campaigns.explain(id, 'con_00000000000000000000000000'), 404, 'resource_missing', 'contact_id');
});
