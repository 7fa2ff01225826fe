// Single mails: now, later, to many, in a thread; and taking them back.
import { type Scene, ask, note } from '../scene.ts';
import type { Act, Weighted } from './act.ts';

const BODY = { subject: 'A word', body_text: 'Hello.' };

/** Half of them to people who are known. */
const recipient = (scene: Scene) =>
  scene.contacts.length > 0 && scene.dice.chance(0.5) ? scene.dice.pick(scene.contacts).email : `p${scene.next()}@people.test`;

const WAITS = [45_000, 3_600_000, 26 * 3_600_000] as const;
const when = ({ dice, now }: Scene) => (dice.chance(0.5) ? {} : { send_at: new Date(now() + dice.pick(WAITS)).toISOString() });

const single: Act = async (scene) => {
  const there = scene.inboxes.filter((one) => !one.gone);
  if (there.length === 0) return;
  const to = recipient(scene);
  const body = { ...BODY, to, inbox_id: scene.dice.pick(there).id, ...when(scene) };
  await ask(scene, `sends.create ${to} ${body.send_at ?? 'now'}`, () => scene.api.sends.create(body));
};

const bulk: Act = async (scene) => {
  const to = [...new Set(Array.from({ length: scene.dice.whole(2, 5) }, () => recipient(scene)))];
  const body = { ...BODY, to, from_strategy: { type: scene.dice.pick(['rotate', 'least_busy'] as const) }, ...when(scene) };
  await ask(scene, `sends.create to ${to.length}`, () => scene.api.sends.create(body));
};

const reply: Act = async (scene) => {
  const { data } = await scene.api.threads.list({ limit: 100 });
  if (data.length === 0) return;
  // What came at one instant is listed in the order of its ids, and mailboxes are read side by side.
  const { id } = scene.dice.pick(data.toSorted((a, b) => (a.provider_thread_id < b.provider_thread_id ? -1 : 1)));
  await ask(scene, 'threads.reply', () => scene.api.threads.reply(id, { body_text: 'As I said.', to: recipient(scene) }));
};

/** Of a campaign's send: its contact leaves the campaign. */
export const cancel: Act = async (scene) => {
  const { data } = await scene.api.sends.list({ state: 'scheduled', limit: 100 });
  if (data.length === 0) return;
  const inOrder = data.toSorted((a, b) => (a.to_email + a.scheduled_at < b.to_email + b.scheduled_at ? -1 : 1));
  const { id, campaign_id: campaign, to_email: email } = scene.dice.pick(inOrder);
  const done = await ask(scene, `sends.cancel ${email}`, () => scene.api.sends.cancel(id));
  if (done && campaign !== null) note(scene, { kind: 'lead', campaign, email, is: 'out' });
};

export const SEND_ACTS: Weighted[] = [
  [3, single],
  [1, bulk],
  [1, reply],
  [2, cancel],
];
