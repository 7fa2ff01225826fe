// What callers do to contacts: make, change, classify, forbid, forget them; and what people do by the link in a mail.
import type { Contact } from '@postrider/sdk';
import { type KnownContact, type Scene, ask, listen, note } from '../scene.ts';
import type { Act, Weighted } from './act.ts';

const LEADS = ['interested', 'meeting_booked', 'not_interested'] as const;

const address = (scene: Scene) => `p${scene.next()}@people.test`;
const known = ({ id, email }: Contact): KnownContact => ({ id, email });

function keep(scene: Scene, made: readonly Contact[]): void {
  const ids = new Set(scene.contacts.map((one) => one.id));
  scene.contacts.push(...made.filter((one) => !ids.has(one.id)).map(known));
}

/** Some new ones, by one of the three ways. */
export const addContacts =
  (count: number): Act =>
  async (scene) => {
    const emails = Array.from({ length: count }, () => address(scene));
    const attributes = { first_name: 'Ann' };
    if (scene.dice.chance(0.2)) return importContacts(scene, emails);
    const contacts = emails.map((email) => ({ email, attributes }));
    const made = await ask(scene, `contacts.batch ${count}`, () => scene.api.contacts.batch({ contacts }));
    keep(scene, made?.created ?? []);
  };

async function importContacts(scene: Scene, emails: readonly string[]): Promise<void> {
  const file = ['email,first_name', ...emails.map((email) => `${email},Bob`), 'nobody,Eve', ''].join('\n');
  const done = await ask(scene, `contactImports.create ${emails.length}`, () => scene.api.contactImports.create({ file }));
  if (!done) return;
  const { data } = await scene.api.contacts.list({ limit: emails.length });
  keep(scene, data);
}

const oneContact = async (scene: Scene, act: (contact: KnownContact) => Promise<void>) => {
  if (scene.contacts.length > 0) await act(scene.dice.pick(scene.contacts));
};

const createOne: Act = async (scene) => {
  const isNew = scene.contacts.length === 0 || scene.dice.chance(0.6);
  const email = isNew ? address(scene) : scene.dice.pick(scene.contacts).email.toUpperCase();
  const made = await ask(scene, `contacts.create ${email}`, () => scene.api.contacts.create({ email }));
  if (made) keep(scene, [made]);
};

const change: Act = (scene) =>
  oneContact(scene, async ({ id, email }) => {
    const status = scene.dice.weighted([[4, undefined], [1, 'unsubscribed'], [1, 'blacklisted'], [2, 'ok']] as const); // prettier-ignore
    const body = status ? { global_status: status } : { attributes: { first_name: `Ann${scene.dice.whole(1, 3)}`, company: null } };
    await ask(scene, `contacts.update ${email} ${JSON.stringify(body)}`, () => scene.api.contacts.update(id, body));
  });

export const removeContact: Act = (scene) =>
  oneContact(scene, async ({ id, email }) => {
    const done = await ask(scene, `contacts.delete ${email}`, () => scene.api.contacts.delete(id));
    if (done) scene.contacts = scene.contacts.filter((one) => one.id !== id);
  });

export const classify: Act = (scene) =>
  oneContact(scene, async ({ id, email }) => {
    const campaign = scene.campaigns.length > 0 && scene.dice.chance(0.5) ? scene.dice.pick(scene.campaigns) : undefined;
    const body = { lead_status: scene.dice.pick(LEADS), ...(campaign && { campaign_id: campaign.id }) };
    const done = await ask(scene, `contacts.setLeadStatus ${email} ${JSON.stringify(body)}`, () => scene.api.contacts.setLeadStatus(id, body));
    if (!done || body.lead_status !== 'not_interested') return;
    for (const one of campaign ? [campaign] : scene.campaigns) {
      if (one.emails.has(email)) note(scene, { kind: 'lead', campaign: one.id, email, is: 'stopped' });
    }
  });

export const suppress: Act = (scene) =>
  oneContact(scene, async ({ email }) => {
    const done = await ask(scene, `suppressions.create ${email}`, () => scene.api.suppressions.create({ email, reason: 'manual' }));
    if (done) note(scene, { kind: 'barred', email, on: true });
  });

const allowAgain: Act = async (scene) => {
  const { data } = await scene.api.suppressions.list({ limit: 100 });
  if (data.length === 0) return;
  const { id, email } = scene.dice.pick(data.toSorted((a, b) => (a.email < b.email ? -1 : 1)));
  const done = await ask(scene, `suppressions.delete ${email}`, () => scene.api.suppressions.delete(id));
  if (done) note(scene, { kind: 'barred', email, on: false });
};

/** Somebody presses the button of their mail program. */
export const pressWayOut: Act = async (scene) => {
  if (scene.waysOut.length === 0) return;
  const { url, email } = scene.dice.pick(scene.waysOut);
  const { pathname } = new URL(url);
  const { statusCode } = await scene.ground.house.app.inject({ method: 'POST', url: pathname, payload: 'List-Unsubscribe=One-Click' });
  note(scene, { kind: 'done', what: `POST the way out of ${email}`, came: String(statusCode) });
  if (statusCode === 200) note(scene, { kind: 'barred', email, on: true });
  else scene.errors.push(`The way out of ${email} answers ${statusCode}.`);
  await listen(scene);
};

export const CONTACT_ACTS: Weighted[] = [
  [2, createOne],
  [1, (scene) => addContacts(scene.dice.whole(2, 6))(scene)],
  [2, change],
  [1, removeContact],
  [2, classify],
  [2, suppress],
  [1, allowAgain],
  [2, pressWayOut],
];
