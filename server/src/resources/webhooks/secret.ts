import { createHmac } from 'node:crypto';
import type { World } from '#world/ctx.ts';
import type { Row } from './store.ts';

const PREFIX = 'whsec_';
type Owner = Pick<Row, 'workspace_id' | 'id'>;

/** A new signing secret: whsec_ and 32 random bytes in base64, as Standard Webhooks spells it. */
export const newSecret = (world: World): string => PREFIX + world.random.bytes(32).toString('base64');

const context = ({ workspace_id: workspaceId, id }: Owner) => [workspaceId, id, 'secret'];

export const sealed = (world: World, owner: Owner, secret: string): string => world.box.seal(secret, context(owner));

/** The secrets that sign at `now`, the present one first. */
export function secretsOf(world: World, row: Row, now: Date): string[] {
  const previous = row.previous_secret_until !== null && now < row.previous_secret_until ? row.previous_secret_sealed : null;
  return [row.secret_sealed, previous].flatMap((text) => (text === null ? [] : [world.box.open(text, context(row))]));
}

export type Signed = { id: string; seconds: number; body: string };

/** `t=…,v1=…` over `<t>.<body>`. The key is the secret as it is shown, whsec_ included. */
export function serviceSignature(secrets: readonly string[], { seconds, body }: Signed): string {
  const values = secrets.map((secret) => `v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`);
  return [`t=${seconds}`, ...values].join(',');
}

/** The header of Standard Webhooks, over `<id>.<t>.<body>`. The key is the bytes whose base64 follows whsec_. */
export function standardSignature(secrets: readonly string[], { id, seconds, body }: Signed): string {
  const keys = secrets.map((secret) => Buffer.from(secret.slice(PREFIX.length), 'base64'));
  return keys.map((key) => `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`).join(' ');
}
