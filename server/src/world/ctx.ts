import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { HttpPoster } from '#platform/egress-http.ts';
import type { Log } from '#platform/log.ts';
import type { Random } from '#platform/random.ts';
import type { SecretBox } from '#platform/secretbox.ts';
import type { Mail } from '#mail/mail.ts';
import type { Db } from '#store/db.ts';

/** Everything outside our own code. Injected, so that a test can own it. */
export type World = {
  clock: Clock;
  random: Random;
  config: Config;
  log: Log;
  box: SecretBox;
  db: Db;
  mail: Mail;
  /** The way to receivers of webhooks; that of live mode reaches public addresses only. */
  http: Record<Mode, HttpPoster>;
};

export type Mode = 'live' | 'test';
export type Scope = 'read' | 'write' | 'admin';

/** One call: the world, on whose behalf, and when. `db` is the transaction where there is one. */
export type Ctx = World & {
  workspaceId: string;
  mode: Mode;
  scope: Scope;
  /** The workspace's time, one instant for the whole call. */
  now: Date;
  apiKeyId: string | null;
  /** The caller passed confirm=true, or holds a key that needs not. */
  confirmed: boolean;
};

/** The world seen from inside one workspace and mode, for loops: they act with every right, at the workspace's time. */
export function actingFor<W extends World>(world: W, workspaceId: string, mode: Mode): W & Ctx {
  return { ...world, workspaceId, mode, scope: 'admin', now: world.clock.now(), apiKeyId: null, confirmed: true };
}
