// Time passes: a moment, some hours, to the edge of a window or of a day, or to what is due next.
import { rowsOf } from '#store/db.ts';
import { type Scene, ask, note } from '../scene.ts';
import { edgeOf, midnightOf } from '../wall.ts';
import type { Act, Weighted } from './act.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/** Go to this instant. In test mode the workspace's clock walks there, and whatever is due on the way happens. */
export async function passTo(scene: Scene, at: number): Promise<void> {
  const now = scene.now();
  if (at <= now) return;
  if (scene.mode === 'live') {
    scene.ground.clock.moveTo(at);
    note(scene, { kind: 'done', what: `time passes: ${Math.round((at - now) / SECOND)} s`, came: new Date(at).toISOString() });
    return;
  }
  await ask(scene, `testClock.advance ${new Date(at).toISOString()}`, () => scene.api.testClock.advance({ to: new Date(at).toISOString() }));
  await scene.hurried();
}

const moment: Act = (scene) => passTo(scene, scene.now() + scene.dice.whole(1, 180) * SECOND);
const someMinutes: Act = (scene) => passTo(scene, scene.now() + scene.dice.whole(3, 50) * MINUTE);
const someHours: Act = (scene) => passTo(scene, scene.now() + scene.dice.whole(60, 600) * MINUTE);
/** Half a day to two days. */
export const leap: Act = (scene) => passTo(scene, scene.now() + scene.dice.whole(12 * 60, 48 * 60) * MINUTE);

/** A little before or behind an edge, where rules of time are wrong first. */
const BESIDE = [-30 * SECOND, -1, 0, 20 * SECOND] as const;
const near = ({ dice }: Scene, edge: number) => edge + dice.pick(BESIDE);

const toWindow: Act = async (scene) => {
  if (scene.campaigns.length === 0) return;
  const edge = edgeOf(scene.dice.pick(scene.campaigns).window, scene.now() + MINUTE);
  if (edge !== null) await passTo(scene, near(scene, edge));
};

const toMidnight: Act = async (scene) => {
  if (scene.inboxes.length === 0) return;
  await passTo(scene, near(scene, midnightOf(scene.dice.pick(scene.inboxes).settings.timezone, scene.now() + MINUTE)));
};

const DUE = `
  select min(at) as at from (
    select min(due_at) as at from sends where workspace_id = $1 and state = 'scheduled' and due_at > $2
    union all select min(next_plan_at) from campaigns where workspace_id = $1 and status = 'running' and next_plan_at > $2
    union all select min(plan_due_at) from enrollments where workspace_id = $1 and status = 'active' and plan_due_at > $2
    union all select min(reconcile_at) from send_attempts where workspace_id = $1 and ended_at is null and reconcile_at > $2
  ) as due`;

/** To whatever the service has to do next. */
export const toNextDue: Act = async (scene) => {
  const [row] = await rowsOf<{ at: Date | null }>(scene.ground.house.db, DUE, [scene.workspaceId, new Date(scene.now())]);
  if (row?.at) await passTo(scene, row.at.getTime());
};

export const TIME_ACTS: Weighted[] = [
  [5, moment],
  [3, someMinutes],
  [4, someHours],
  [3, toWindow],
  [2, toMidnight],
  [6, toNextDue],
];

/** With a test clock each move is a walk with all that it brings. */
export const TEST_TIME_ACTS: Weighted[] = [
  [3, moment],
  [2, someMinutes],
  [3, someHours],
  [2, toWindow],
  [1, toMidnight],
];
