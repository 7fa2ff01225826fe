// One seed, lived from its first call to the day when nothing is left to do.
import type { Act, Weighted } from './acts/act.ts';
import { CAMPAIGN_ACTS, createCampaign, createSequence, enrol, start } from './acts/campaigns.ts';
import { CONTACT_ACTS, addContacts } from './acts/contacts.ts';
import { FAULT_ACTS, comeBack, wake } from './acts/faults.ts';
import { INBOX_ACTS, TEST_INBOX_ACTS, connectInbox, mendInbox } from './acts/inboxes.ts';
import { SEND_ACTS } from './acts/sends.ts';
import { TEST_TIME_ACTS, TIME_ACTS, leap, passTo } from './acts/time.ts';
import { WORK_ACTS, keepHouse, plan, read, reconcile, send } from './acts/work.ts';
import { endOf } from './end.ts';
import type { Ground } from './ground.ts';
import type { Scene } from './scene.ts';
import { openScene } from './open-scene.ts';
import type { Story } from './story.ts';

const DAY = 86_400_000;
const OPERATIONS = 200;
/** Those of the end are some of them. */
const REST = 24;
const DAYS = 30;

const LIVE: Weighted[] = [
  [30, inTime(among(TIME_ACTS))],
  [34, among(WORK_ACTS)],
  [5, among(CONTACT_ACTS)],
  [7, among(CAMPAIGN_ACTS)],
  [4, among(SEND_ACTS)],
  [4, among(INBOX_ACTS)],
  [9, among(FAULT_ACTS)],
];
const TEST: Weighted[] = [
  [16, inTime(among(TEST_TIME_ACTS))],
  [6, among(CONTACT_ACTS)],
  [8, among(CAMPAIGN_ACTS)],
  [6, among(SEND_ACTS)],
  [5, among(TEST_INBOX_ACTS)],
];

/** Whoever is behind the calendar takes a leap now and then: the month is over when the operations are. */
function inTime(usual: Act): Act {
  return (scene) => {
    const behind = scene.op / OPERATIONS - (scene.now() - scene.from) / (DAYS * DAY);
    return behind > 0.03 && scene.dice.chance(0.6) ? leap(scene) : usual(scene);
  };
}

function among(acts: readonly Weighted[]): Act {
  return (scene) => scene.dice.weighted(acts)(scene);
}

/**
 * Live a seed on this ground. The same seed tells the same story. In test mode a workspace lives by its own clock, over sandbox inboxes, and nothing
 * goes wrong but what callers and recipients do; some such months take a minute, since the planner is asked every few seconds of the walk.
 */
export async function play(ground: Ground, seed: number, mode: Story['mode'] = 'live'): Promise<Story> {
  const scene = await openScene(ground, seed, mode);
  const { from } = scene;
  try {
    for (const act of beginning(scene)) await operate(scene, act);
    const usual = scene.mode === 'live' ? LIVE : TEST;
    const enough = scene.mode === 'live' ? OPERATIONS - REST : OPERATIONS - 1;
    while (scene.op < enough) await operate(scene, among(usual));
    while (scene.now() < from + DAYS * DAY) for (const act of later(scene)) await operate(scene, act);
    for (const act of rest(scene)) await operate(scene, act);
    return await storyOf(scene);
  } finally {
    ground.frail.restore();
    for (const worker of [scene.worker, ...scene.sleepers, ...scene.dead]) await worker.close();
  }
}

/** One operation, and whoever takes over when the worker did not survive it. */
async function operate(scene: Scene, act: Act): Promise<void> {
  scene.op++;
  scene.ground.operation(scene.op);
  await act(scene);
  if (scene.awayUntil !== null && scene.op >= scene.awayUntil) await comeBack(scene);
  const { worker } = scene;
  const down = worker.down();
  if (!down) return;
  (down === 'dead' ? scene.dead : scene.sleepers).push(worker);
  await scene.newWorker();
}

const times = (count: number, act: Act): Act[] => Array.from({ length: count }, () => act);

function beginning({ dice }: Scene): Act[] {
  const campaigns = dice.whole(1, 2);
  return [
    ...times(dice.whole(2, 3), connectInbox),
    ...times(dice.whole(1, 2), createSequence),
    ...times(dice.whole(1, 2), addContacts(dice.whole(8, 14))),
    ...times(campaigns, createCampaign),
    ...times(campaigns + 1, enrol),
    ...times(campaigns, start),
  ];
}

/** What fills the month up, when its operations were done in less. */
const later = ({ mode }: Scene): Act[] => (mode === 'live' ? [leap, plan, send] : [leap]);

/** Nothing goes wrong any more, and everything has time to come to an end. */
function rest(scene: Scene): Act[] {
  if (scene.mode === 'test') return [(one) => passTo(one, one.now() + 2 * DAY)];
  const heal: Act = async (one) => {
    one.office.heal();
    one.worker.lieInWait(undefined);
    await comeBack(one);
  };
  const wakeAll: Act = async (one) => {
    while (one.sleepers.length > 0) await wake(one);
  };
  const readAll: Act = async (one) => {
    while (one.post.length > 0) await read(one);
  };
  const wait =
    (ms: number): Act =>
    (one) =>
      passTo(one, one.now() + ms);
  const work = [reconcile, readAll, plan, send];
  return [heal, wakeAll, mendInbox, keepHouse, ...work, wait(15 * 60_000), ...work, wait(25 * 3_600_000), keepHouse, ...work, wait(60_000), ...work];
}

async function storyOf(scene: Scene): Promise<Story> {
  const { seed, mode, from, ground, op: operations } = scene;
  return {
    seed,
    mode,
    from,
    until: scene.now(),
    operations,
    end: await endOf(scene),
    entries: [...scene.entries],
    errors: [...scene.errors, ...ground.house.lines],
  };
}
