// What callers do to inboxes: connect, slow down, pause, move to another zone, disconnect.
import type { Inbox } from '@postrider/sdk';
import { type KnownInbox, type Scene, ask, note } from '../scene.ts';
import type { Act, Weighted } from './act.ts';
import { ZONES } from './zones.ts';

const SERVERS = {
  smtp: { host: 'smtp.test', port: 587, security: 'starttls', password: 'secret' },
  imap: { host: 'imap.test', port: 993, security: 'ssl' },
} as const;

/** Write down the settings that hold from now on. */
function noteSettings(scene: Scene, inbox: Inbox): KnownInbox {
  const { id, email_address: login, status, timezone, daily_limit, min_gap_seconds, ramp } = inbox;
  const settings = { status, timezone, daily_limit, min_gap_seconds, ramp };
  note(scene, { kind: 'inbox', id, login, settings });
  const known = { id, login, settings, gone: status === 'revoked' };
  const at = scene.inboxes.findIndex((one) => one.id === id);
  if (at < 0) scene.inboxes.push(known);
  else scene.inboxes[at] = known;
  return known;
}

/** Gaps that are waited for with the lease in hand (up to ten seconds) need a calendar that runs: only a test clock's does by itself. */
function drawGaps({ dice, gapless, mode }: Scene): { min_gap_seconds: number; max_gap_seconds: number } {
  if (gapless) return { min_gap_seconds: 0, max_gap_seconds: 0 };
  if (mode === 'test' && dice.chance(0.3)) return { min_gap_seconds: dice.whole(1, 10), max_gap_seconds: dice.whole(10, 20) };
  const min = dice.weighted([[3, 60], [2, 11], [2, 300], [1, 1200]] as const); // prettier-ignore
  return { min_gap_seconds: min, max_gap_seconds: min + dice.pick([0, 60, 600]) };
}

function drawLimits({ dice }: Scene): object {
  const limit = dice.weighted([[2, 2], [3, 5], [3, 20], [2, 50]] as const); // prettier-ignore
  if (dice.chance(0.6)) return { daily_limit: limit, ramp: { enabled: false } };
  const start = dice.whole(1, 5);
  return { daily_limit: limit, ramp: { enabled: true, start, end: dice.whole(1, limit), days: dice.whole(1, 20) } };
}

export const connectInbox: Act = async (scene) => {
  const { api, mode } = scene;
  const email_address = `sender${scene.inboxes.length + 1}@house.test`;
  const sandbox_config = { seed: scene.dice.whole(1, 1000), reply_probability: 0.15, bounce_probability: 0.08 };
  const made = await ask(scene, `inboxes.connect ${email_address}`, () =>
    mode === 'live' ? api.inboxes.connectSmtp({ email_address, ...SERVERS }) : api.inboxes.createSandbox({ sandbox_config }),
  );
  if (!made) return;
  noteSettings(scene, made);
  await patch(scene, made.id, { ...drawGaps(scene), ...drawLimits(scene), timezone: scene.dice.pick(ZONES) });
};

async function patch(scene: Scene, id: string, changes: object): Promise<void> {
  const answer = await ask(scene, `inboxes.update ${JSON.stringify(changes)}`, () => scene.api.inboxes.update(id, changes));
  if (answer) noteSettings(scene, answer);
}

const oneInbox = async (scene: Scene, act: (inbox: KnownInbox) => Promise<void>) => {
  const there = scene.inboxes.filter((one) => !one.gone);
  if (there.length > 0) await act(scene.dice.pick(there));
};

const changeLimits: Act = (scene) => oneInbox(scene, ({ id }) => patch(scene, id, drawLimits(scene)));
/** No more than one mail a day from now on. */
export const slowDown: Act = (scene) => oneInbox(scene, ({ id }) => patch(scene, id, { daily_limit: 1 }));
const changeGaps: Act = (scene) => oneInbox(scene, ({ id }) => patch(scene, id, drawGaps(scene)));
const changeZone: Act = (scene) => oneInbox(scene, ({ id }) => patch(scene, id, { timezone: scene.dice.pick(ZONES) }));
export const pauseInbox: Act = (scene) => oneInbox(scene, ({ id }) => patch(scene, id, { status: 'paused' }));

/** Those that were paused go on; those that were disconnected, or failed, are connected anew. */
export const mendInbox: Act = async (scene) => {
  const { data } = await scene.api.inboxes.list({ limit: 20 });
  for (const { id, status, email_address } of data) {
    if (status === 'paused') await patch(scene, id, { status: 'active' });
    if ((status !== 'failed' && status !== 'revoked') || scene.mode === 'test') continue;
    const again = await ask(scene, `inboxes.connect ${email_address} again`, () => scene.api.inboxes.connectSmtp({ email_address, ...SERVERS }));
    if (again) noteSettings(scene, again);
  }
};

export const disconnect: Act = (scene) =>
  oneInbox(scene, async ({ id, login }) => {
    const answer = await ask(scene, `inboxes.delete ${login}`, () => scene.api.inboxes.delete(id, { confirm: true }));
    if (answer) noteSettings(scene, answer);
  });

export const INBOX_ACTS: Weighted[] = [
  [2, changeLimits],
  [2, changeGaps],
  [1, changeZone],
  [0.7, pauseInbox],
  [3, mendInbox],
  [0.3, disconnect],
];

/**
 * Without what leaves a campaign without the inbox of its leads: under a test clock it is then looked at every five minutes, which takes longer
 * than all the rest.
 */
export const TEST_INBOX_ACTS: Weighted[] = [
  [2, changeLimits],
  [2, changeGaps],
  [1, changeZone],
];
