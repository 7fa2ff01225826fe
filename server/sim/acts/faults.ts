// What goes wrong: servers that refuse, break off or fall silent, workers that die or stand still, callers who come at the worst moment, clocks that
// jump.
import type { CrashPoint } from '#engine/crash.ts';
import { drawTrouble } from '../peers/trouble.ts';
import { type Scene, note } from '../scene.ts';
import type { Ambush } from '../worker.ts';
import type { Act, Weighted } from './act.ts';
import { pause, remove } from './campaigns.ts';
import { classify, pressWayOut, removeContact, suppress } from './contacts.ts';
import { disconnect, pauseInbox, slowDown } from './inboxes.ts';
import { cancel } from './sends.ts';

const ANY_POINT: CrashPoint[] = [
  'CP4 claimed', 'CP6 connected', 'CP8 body written', 'CP9 released', 'CP11 accepted', 'CP12 journalled', 'CP13 committed', 'CP15 fetched',
  'CP16 taken in',
]; // prettier-ignore
/** Where a mail is in hand and no transaction is open. */
const IN_HAND: CrashPoint[] = ['CP4 claimed', 'CP8 body written', 'CP9 released'];

const troubled: Act = async (scene) => {
  const login = scene.inboxes.length > 0 && scene.dice.chance(0.5) ? scene.dice.pick(scene.inboxes).login : undefined;
  for (let times = scene.dice.whole(1, 3); times > 0; times--) {
    const trouble = drawTrouble(scene.dice);
    scene.office.trouble(trouble, login);
    note(scene, { kind: 'done', what: `trouble ahead at ${trouble.at}`, came: JSON.stringify(trouble.answer) });
  }
};

const dropped: Act = async (scene) => {
  scene.office.dropAll();
  note(scene, { kind: 'done', what: 'every connection is lost', came: '' });
};

const unreadable: Act = async (scene) => {
  if (scene.inboxes.length === 0) return;
  const { login } = scene.dice.pick(scene.inboxes);
  const fault = scene.dice.pick(['closed', 'timeout', 'reset', 'authentication'] as const);
  scene.office.breakMailbox(login, fault);
  note(scene, { kind: 'done', what: `the mailbox of ${login} will fail`, came: fault });
};

function wait(scene: Scene, { point, deed }: Ambush, what: string): void {
  if (scene.gapless) return;
  note(scene, { kind: 'done', what, came: point });
  scene.worker.lieInWait({ point, deed });
}

const death: Act = async (scene) => wait(scene, { point: scene.dice.pick(ANY_POINT), deed: 'die' }, 'a worker will die');
const halt: Act = async (scene) => wait(scene, { point: scene.dice.pick(IN_HAND), deed: 'halt' }, 'a worker will stand still');

/** Whoever stood still goes on, and knows nothing of what was done meanwhile. */
export const wake: Act = async (scene) => {
  const sleeper = scene.awayUntil === null ? scene.sleepers.shift() : undefined;
  if (!sleeper) return;
  note(scene, { kind: 'done', what: 'a worker goes on that stood still', came: `worker ${sleeper.nth}` });
  await sleeper.wake();
  scene.dead.push(sleeper);
};

/** Somebody stops something while a mail is in hand. */
const interjection: Act = async (scene) => {
  const act = scene.dice.pick<Act>([pause, pause, suppress, pressWayOut, cancel, pauseInbox, slowDown, disconnect, removeContact, classify, remove]);
  wait(scene, { point: scene.dice.pick(IN_HAND), deed: () => act(scene) }, 'somebody will come in between');
};

/** The database goes away while a mail is in hand, and comes back some operations later. */
const away: Act = async (scene) => {
  if (!scene.frail) return;
  const deed = async () => {
    scene.awayUntil = scene.op + scene.dice.whole(2, 10);
    scene.ground.frail.cut();
  };
  wait(
    scene,
    { point: scene.dice.pick(['CP4 claimed', 'CP8 body written', 'CP9 released', 'CP11 accepted'] as const), deed },
    'the database will go away',
  );
};

/** The database is back, and what waited for it is written. */
export async function comeBack(scene: Scene): Promise<void> {
  if (scene.awayUntil === null) return;
  scene.awayUntil = null;
  scene.ground.frail.restore();
  await scene.worker.settled();
  note(scene, { kind: 'done', what: 'the database is back', came: '' });
}

/** The machine stood still, or its clock was set, while a mail was in hand. */
const jump: Act = async (scene) => {
  const ms = scene.dice.weighted([[2, 20_000], [2, 45_000], [2, 600_000], [1, 5 * 3_600_000]] as const); // prettier-ignore
  const deed = async () => scene.ground.clock.moveTo(scene.now() + ms);
  wait(scene, { point: scene.dice.pick(IN_HAND), deed }, `the clock will jump by ${ms / 1000} s`);
};

export const FAULT_ACTS: Weighted[] = [
  [3, troubled],
  [1, dropped],
  [1, unreadable],
  [2, death],
  [1, halt],
  [2, wake],
  [3, interjection],
  [2, jump],
  [4, away],
];
