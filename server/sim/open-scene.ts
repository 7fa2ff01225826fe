import { join } from 'node:path';
import { offsetOf } from '#world/workspace-time.ts';
import { diceOf } from './dice.ts';
import type { Ground } from './ground.ts';
import { type Taken, openOffice } from './peers/office.ts';
import { answerTo, readMail } from './peers/people.ts';
import { type Scene, note } from './scene.ts';
import { startWorker } from './worker.ts';

const YEAR = Date.parse('2030-01-01T00:00:00Z');
const DAY = 86_400_000;
let lives = 0;

const nothingYet = () => ({
  inboxes: [],
  sequences: [],
  campaigns: [],
  contacts: [],
  post: [],
  waysOut: [],
  sleepers: [],
  dead: [],
  op: 0,
  entries: [],
  errors: [],
  heard: 0,
  awayUntil: null,
});

/** What becomes of a mail that a server took: it stands in the story, and its recipient may answer. */
function arrivals(sceneOf: () => Scene): (taken: Taken) => void {
  const received = new Map<string, number>();
  return (taken) => {
    const scene = sceneOf();
    const { messageId, text, variant, wayOut } = readMail(taken.raw);
    const email = taken.to[0]!;
    note(scene, { kind: 'mail', messageId, login: taken.login, to: email, text, variant, known: taken.known }, taken.at);
    const nth = received.get(email) ?? 0;
    received.set(email, nth + 1);
    const answer = answerTo(scene.seed, taken, nth);
    if (answer) scene.post.push(answer);
    if (wayOut) scene.waysOut.push({ url: wayOut, email });
  };
}

/** An empty workspace, its mail world and its first worker, all of this seed. */
export async function openScene(ground: Ground, seed: number, mode: Scene['mode']): Promise<Scene> {
  const dice = diceOf(seed);
  // Any day of a year, so that months contain changes of clocks.
  await ground.clear(seed, YEAR + dice.whole(0, 364) * DAY + dice.whole(0, 86_399) * 1000);
  const { house: h, clock } = ground;
  const workspace = `seed ${seed}, life ${++lives}`;
  const workspaceId = await h.workspace(workspace);
  const keepsSent = dice.chance(0.8);
  const office = openOffice({ now: clock.now, filesSent: () => keepsSent, onTaken: arrivals(() => scene) });
  ground.mail(office.mailFor({ dead: false, holding: null }));
  const frail = dice.chance(0.2);
  const knowsTheDead = dice.chance(0.6);
  let workers = 0;
  let numbers = 0;
  const begin = () =>
    startWorker({
      world: frail ? { ...h.world, db: ground.frail.db } : h.world,
      isAway: () => scene.awayUntil !== null,
      office,
      nth: ++workers,
      id: `sim.${lives}.${workers}`,
      journalFolder: join(h.journalFolder, String(lives)),
      isAlive: (id) => !knowsTheDead || !scene.dead.some((one) => one.id === id),
      onReleased: (raw) => note(scene, { kind: 'released', messageId: readMail(raw).messageId }),
    });
  let offset = 0;
  const scene: Scene = {
    seed,
    mode,
    gapless: dice.chance(0.3),
    frail,
    dice,
    ground,
    office,
    api: await h.api({ mode, workspace, autoConfirm: true }),
    workspaceId,
    ...nothingYet(),
    worker: await begin(),
    newWorker: async () => void (scene.worker = await begin()),
    next: () => ++numbers,
    from: clock.now().getTime(),
    now: () => clock.now().getTime() + offset,
    hurried: async () => void (offset = mode === 'test' ? await offsetOf(h.db, workspaceId) : 0),
  };
  return scene;
}
