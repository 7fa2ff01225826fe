// One seed's world while it is lived: what it has made, who works in it, and the story as it grows.
import type { Postrider } from '@postrider/sdk';
import { PostriderError } from '@postrider/sdk';
import { rowsOf } from '#store/db.ts';
import type { Dice } from './dice.ts';
import type { Ground } from './ground.ts';
import type { Office } from './peers/office.ts';
import type { Answer } from './peers/people.ts';
import type { Entry, Happening, InboxSettings, Told } from './story.ts';
import type { Window } from './wall.ts';
import type { Worker } from './worker.ts';

export type KnownInbox = { id: string; login: string; settings: InboxSettings; gone: boolean };
export type KnownCampaign = { id: string; window: Window; sequenceId: string; emails: Set<string> };
export type KnownContact = { id: string; email: string };

export type Scene = {
  seed: number;
  mode: 'live' | 'test';
  /** Its inboxes know no gaps: then many mails leave one behind the other, and nobody dies among them. */
  gapless: boolean;
  /** Its workers reach the database by a way that can be cut. */
  frail: boolean;
  /** The operation after which the database is back, while it is away. */
  awayUntil: number | null;
  dice: Dice;
  ground: Ground;
  office: Office;
  api: Postrider;
  workspaceId: string;
  inboxes: KnownInbox[];
  sequences: string[];
  campaigns: KnownCampaign[];
  contacts: KnownContact[];
  /** Answers that are on their way to a mailbox. */
  post: Answer[];
  /** Ways out, as they stand in mails that arrived. */
  waysOut: { url: string; email: string }[];
  worker: Worker;
  /** Halted ones, that do not know that they were taken over from. */
  sleepers: Worker[];
  dead: Worker[];
  newWorker(): Promise<void>;
  /** Numbers for names. */
  next(): number;
  /** When it began. */
  from: number;
  /** What time it is for the workspace. */
  now(): number;
  /** Its test clock may have been moved. */
  hurried(): Promise<void>;
  op: number;
  entries: Entry[];
  /** Faults of the simulation's calls that are the service's: statuses from 500 on. */
  errors: string[];
  /** How far the log of events was read. */
  heard: number;
};

/** Write down what happened, now or at `at`. */
export function note(scene: Scene, happening: Happening, at = scene.now()): void {
  scene.entries.push({ at, op: scene.op, ...happening });
}

/** Read what was told since the last time. */
export async function listen(scene: Scene): Promise<void> {
  const rows = await rowsOf<Omit<Told, 'at'> & { created_at: Date }>(
    scene.ground.house.db,
    'select sequence, type, resource_id, data, created_at from events where workspace_id = $1 and mode = $2 and sequence > $3 order by sequence',
    [scene.workspaceId, scene.mode, scene.heard],
  );
  for (const { created_at: createdAt, ...row } of rows) {
    const at = createdAt.getTime();
    if (scene.mode === 'test' && row.type === 'send.sent') noteSandboxMail(scene, row.data, at);
    note(scene, { kind: 'told', event: { ...row, at } }, at);
    scene.heard = row.sequence;
  }
}

/** In test mode no server takes anything: that it was sent is all there is of a mail. */
function noteSandboxMail(scene: Scene, data: Told['data'], at: number): void {
  const messageId = String(data['rfc822_message_id']);
  const login = scene.inboxes.find((one) => one.id === data['inbox_id'])?.login ?? '';
  note(scene, { kind: 'released', messageId }, at);
  note(scene, { kind: 'mail', messageId, login, to: String(data['to_email']), text: null, variant: null, known: true }, at);
}

/** Call the API and write down what came of it. null when it refused. */
export async function ask<T>(scene: Scene, what: string, call: () => Promise<T>): Promise<T | null> {
  try {
    const answer = await call();
    note(scene, { kind: 'done', what, came: 'ok' });
    return answer;
  } catch (error) {
    if (!(error instanceof PostriderError)) throw error;
    note(scene, { kind: 'done', what, came: error.code });
    if (error.status === 0 || error.status >= 500) scene.errors.push(`${what}: ${error.status} ${error.code} ${error.message}`);
    return null;
  } finally {
    await listen(scene);
  }
}
