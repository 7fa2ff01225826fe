// What callers do to campaigns: begin, halt, change, delete them, and put people in and take them out.
import type { Campaign } from '@postrider/sdk';
import { textOf } from '../peers/people.ts';
import { type KnownCampaign, type Scene, ask, note } from '../scene.ts';
import type { Act, Weighted } from './act.ts';
import { ZONES } from './zones.ts';

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

/** The words by which a mail is known as this text of a step: see `readMail`. A step's own text has no letter. */
const words = (step: number, variant = '') => `Hello {{first_name | default: "there"}}.\n\nText no. ${step}${variant}\n`;

function drawStep(scene: Scene, isFirst: boolean): object {
  const delay = scene.dice.weighted([[2, 0], [3, 60], [3, 1440], [3, 3 * 1440], [1, 7 * 1440]] as const); // prettier-ignore
  const subject = isFirst || scene.dice.chance(0.3) ? 'About {{first_name | default: "you"}}' : '';
  const nth = scene.next();
  return { subject, body_text: words(nth), delay_minutes: isFirst && scene.dice.chance(0.8) ? 0 : delay, ...drawTest(scene, subject, nth) };
}

/** An A/B test of a step, now and then, which may end by itself after a few mails. */
function drawTest({ dice }: Scene, subject: string, nth: number): object {
  if (!dice.chance(0.4)) return {};
  const variants = ['a', 'b'].slice(0, dice.whole(1, 2)).map((letter) => ({ subject, body_text: words(nth, letter) }));
  return { variants, ...(dice.chance(0.8) && { auto_winner: { metric: 'reply', min_sends: dice.whole(1, 3) } }) };
}

/** Write down by which words the texts of a campaign are known. */
async function noteTexts(scene: Scene, id: string): Promise<void> {
  const steps = (await scene.api.campaigns.retrieve(id)).sequence_steps ?? [];
  for (const step of steps) {
    const texts = [step, ...(step.variants ?? [])].map((one) => [one.id, textOf(one.body_text ?? '').variant ?? ''] as const);
    note(scene, { kind: 'step', campaign: id, text: textOf(step.body_text ?? '').text ?? '', variants: Object.fromEntries(texts) });
  }
}

export const createSequence: Act = async (scene) => {
  const steps = Array.from({ length: scene.dice.whole(1, 4) }, (_, i) => drawStep(scene, i === 0));
  const made = await ask(scene, `sequences.create of ${steps.length}`, () => scene.api.sequences.create({ name: 'S', steps }));
  if (made) scene.sequences.push(made.id);
};

function drawWindow({ dice }: Scene): Campaign['schedule'] {
  const timezone = dice.pick(ZONES);
  if (dice.chance(0.35)) return { timezone, daysOfWeek: EVERY_DAY, startHour: 0, endHour: 24 };
  const startHour = dice.whole(0, 20);
  const daysOfWeek = dice.chance(0.5) ? EVERY_DAY : dice.some(EVERY_DAY, dice.whole(2, 6));
  return { timezone, daysOfWeek, startHour, endHour: dice.whole(startHour + 1, 24) };
}

const senders = ({ dice, inboxes }: Scene) => {
  const there = inboxes.filter((one) => !one.gone).map((one) => one.id);
  return dice.some(there, dice.whole(1, there.length));
};

export const createCampaign: Act = async (scene) => {
  if (scene.campaigns.length >= (scene.mode === 'live' ? 4 : 1) || scene.sequences.length === 0 || scene.inboxes.every((one) => one.gone)) return;
  const sequenceId = scene.dice.pick(scene.sequences);
  const body = {
    name: `C${scene.next()}`,
    sequence_id: sequenceId,
    sending_inbox_ids: senders(scene),
    schedule: drawWindow(scene),
    inject_unsubscribe_footer: scene.dice.chance(0.3),
  };
  const made = await ask(scene, `campaigns.create ${JSON.stringify(body.schedule)}`, () => scene.api.campaigns.create(body));
  if (!made) return;
  scene.campaigns.push({ id: made.id, window: made.schedule, sequenceId, emails: new Set() });
  note(scene, { kind: 'campaign', id: made.id, window: made.schedule });
  await noteTexts(scene, made.id);
};

const oneCampaign = async (scene: Scene, act: (campaign: KnownCampaign) => Promise<void>) => {
  if (scene.campaigns.length > 0) await act(scene.dice.pick(scene.campaigns));
};

/** Write down who is in a campaign and who was taken out, as the service says. */
async function noteLeads(scene: Scene, campaign: KnownCampaign): Promise<void> {
  const { data } = await scene.api.campaigns.contacts(campaign.id, { limit: 100 });
  for (const { contact_email: email, status } of data) {
    if (status === 'active') campaign.emails.add(email);
    note(scene, { kind: 'lead', campaign: campaign.id, email, is: status === 'active' ? 'in' : status === 'removed' ? 'out' : 'stopped' });
  }
}

export const enrol: Act = (scene) =>
  oneCampaign(scene, async (campaign) => {
    const some = scene.dice.some(scene.contacts, scene.dice.whole(3, 16));
    if (some.length === 0) return;
    const body = { contact_ids: some.map((one) => one.id), skip_if_in_other_campaign: scene.dice.chance(0.2) };
    const done = await ask(scene, `campaigns.addContacts ${some.length}`, () => scene.api.campaigns.addContacts(campaign.id, body));
    if (done) await noteLeads(scene, campaign);
  });

const move: Act = (scene) =>
  oneCampaign(scene, async (from) => {
    const to = scene.dice.pick(scene.campaigns);
    const contact_ids = scene.dice.some(scene.contacts, 4).map((one) => one.id);
    if (to.id === from.id || contact_ids.length === 0) return;
    const body = { to_campaign_id: to.id, contact_ids, keep_in_source: scene.dice.chance(0.3) };
    const done = await ask(scene, 'campaigns.moveContacts', () => scene.api.campaigns.moveContacts(from.id, body));
    if (!done) return;
    await noteLeads(scene, from);
    await noteLeads(scene, to);
  });

export const start: Act = (scene) =>
  oneCampaign(scene, async ({ id }) => void (await ask(scene, 'campaigns.start', () => scene.api.campaigns.start(id))));
export const pause: Act = (scene) =>
  oneCampaign(scene, async ({ id }) => void (await ask(scene, 'campaigns.pause', () => scene.api.campaigns.pause(id))));
/** Whatever was paused goes on. */
export const resume: Act = async (scene) => {
  const { data } = await scene.api.campaigns.list({ status: 'paused' });
  for (const { id } of data) await ask(scene, 'campaigns.resume', () => scene.api.campaigns.resume(id));
};

const change: Act = (scene) =>
  oneCampaign(scene, async (campaign) => {
    const body = scene.mode === 'test' || scene.dice.chance(0.6) ? { schedule: drawWindow(scene) } : { sending_inbox_ids: senders(scene) };
    const answer = await ask(scene, `campaigns.update ${JSON.stringify(body.schedule ?? 'senders')}`, () =>
      scene.api.campaigns.update(campaign.id, body),
    );
    if (!answer) return;
    campaign.window = answer.schedule;
    note(scene, { kind: 'campaign', id: campaign.id, window: answer.schedule });
  });

const changeSteps: Act = (scene) =>
  oneCampaign(scene, async ({ id }) => {
    const steps = (await scene.api.campaigns.retrieve(id)).sequence_steps ?? [];
    const step = scene.dice.pick(steps);
    const { api, dice } = scene;
    const by = dice.weighted([[3, 'add'], [3, 'update'], [2, 'delete'], [1, 'reorder']] as const); // prettier-ignore
    await ask(scene, `campaigns.${by}Step`, async () => {
      if (by === 'add')
        return api.campaigns.addStep(id, { ...drawStep(scene, false), ...(dice.chance(0.5) && { step_order: dice.whole(0, steps.length) }) });
      if (by === 'update') return api.campaigns.updateStep(id, step.id, { delay_minutes: dice.pick([0, 30, 2880]) });
      if (by === 'delete') return api.campaigns.deleteStep(id, step.id);
      return api.campaigns.reorderSteps(id, { step_ids: steps.map((one) => one.id).reverse() });
    });
    await noteTexts(scene, id);
  });

export const remove: Act = (scene) =>
  oneCampaign(scene, async ({ id }) => {
    const done = await ask(scene, 'campaigns.delete', () => scene.api.campaigns.delete(id, { confirm: true }));
    if (!done) return;
    scene.campaigns = scene.campaigns.filter((one) => one.id !== id);
    note(scene, { kind: 'campaign_gone', id });
  });

/** What would stand in the way of a start, and the forecast: nothing may be written by that. */
const tryStart: Act = (scene) =>
  oneCampaign(scene, async ({ id }) => void (await ask(scene, 'campaigns.start dry', () => scene.api.campaigns.start(id, { dry_run: true }))));

export const CAMPAIGN_ACTS: Weighted[] = [
  [1, createCampaign],
  [0.5, createSequence],
  [3, enrol],
  [1, move],
  [3, start],
  [1, pause],
  [4, resume],
  [1, change],
  [1.5, changeSteps],
  [0.2, remove],
  [0.2, tryStart],
];
