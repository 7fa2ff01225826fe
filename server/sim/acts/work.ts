// The worker does one thing that a worker does. Which and when is drawn, so that callers come between any two of them.
import { isConnectionLost, rowsOf } from '#store/db.ts';
import { type Scene, listen, note } from '../scene.ts';
import type { Act, Weighted } from './act.ts';
import { passTo } from './time.ts';

async function doing(scene: Scene, what: string, work: () => Promise<unknown>): Promise<void> {
  const before = scene.entries.length;
  try {
    await work();
  } catch (error) {
    if (scene.awayUntil === null || !isConnectionLost(error)) throw error;
    note(scene, { kind: 'done', what, came: 'the database is away' });
  }
  await listen(scene);
  note(scene, { kind: 'done', what, came: `${scene.entries.length - before} happenings` });
}

export const plan: Act = (scene) =>
  doing(scene, 'the planner looks', async () => {
    while (await scene.worker.campaigns.step());
  });

/** Whoever dies at it is followed by another. */
export const send: Act = (scene) =>
  doing(scene, 'the sender sends', async () => {
    const { worker } = scene;
    // One lane at a time: as often as there is an inbox with something due.
    for (let lanes = 0; lanes < 6; lanes++) {
      const before = scene.entries.length;
      await worker.send();
      await listen(scene);
      if (worker.down() || scene.entries.length === before) break;
    }
  });

/** What is on its way arrives, and the mailboxes are read: a server would say that something came. */
export const read: Act = async (scene) => {
  const arrived = scene.post.splice(0, scene.dice.whole(1, 3));
  if (arrived.length === 0 && scene.dice.chance(0.8)) return;
  await doing(scene, 'the reader reads', async () => {
    for (const { login, raw, what } of arrived) {
      scene.office.deliver(login, raw);
      note(scene, { kind: 'done', what: `arrives: ${what}`, came: login });
      await rowsOf(
        scene.ground.house.db,
        'update inboxes set next_poll_at = $2 where workspace_id = $1 and email_address = $3 and next_poll_at is not null',
        [scene.workspaceId, new Date(scene.now()), login],
      );
    }
    const { worker } = scene;
    for (let inboxes = 0; inboxes < Math.max(1, arrived.length) && !worker.down(); inboxes++) await worker.read();
  });
};

export const reconcile: Act = (scene) =>
  doing(scene, 'the reconciler settles', async () => {
    while (await scene.worker.reconciler.step());
  });

export const keepHouse: Act = (scene) => doing(scene, 'the housekeeper passes', () => scene.worker.housekeeping.step());

/** As a worker does that nobody comes in between of: what is planned for the next minute leaves in it. */
const minute: Act = async (scene) => {
  await plan(scene);
  await passTo(scene, scene.now() + scene.dice.whole(15, 70) * 1_000);
  await send(scene);
};

const busyWhile: Act = async (scene) => {
  for (let minutes = scene.dice.whole(3, 6); minutes > 0; minutes--) await minute(scene);
};

export const WORK_ACTS: Weighted[] = [
  [9, minute],
  [4, plan],
  [5, send],
  [5, read],
  [1, reconcile],
  [1, keepHouse],
  [0.5, busyWhile],
];
