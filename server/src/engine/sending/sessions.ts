import type { Clock } from '#platform/clock.ts';
import type { SmtpSession } from '#mail/mail.ts';

/** Connections kept open between sends, at most `limit`, each idle for at most `idleMs`. */
export type Sessions = {
  /** The kept connection, if it was opened with this very login. */
  usable(inboxId: string, login: string): SmtpSession | null;
  keep(inboxId: string, login: string, session: SmtpSession): void;
  /** Close those that were idle too long. */
  sweep(busy: (inboxId: string) => boolean): void;
  closeAll(): Promise<void>;
};

export function sessionsOf(clock: Clock, { idleMs = 30_000, limit = 500 } = {}): Sessions {
  const kept = new Map<string, { session: SmtpSession; login: string; usedAt: number }>();
  const drop = (inboxId: string) => {
    const one = kept.get(inboxId);
    kept.delete(inboxId);
    return one?.session.close();
  };
  return {
    usable(inboxId, login) {
      const one = kept.get(inboxId);
      if (!one) return null;
      if (!one.session.usable || one.login !== login) {
        void drop(inboxId);
        return null;
      }
      one.usedAt = clock.monotonic();
      return one.session;
    },
    keep: (inboxId, login, session) => void kept.set(inboxId, { session, login, usedAt: clock.monotonic() }),
    sweep(busy) {
      const idle = [...kept].filter(([inboxId]) => !busy(inboxId)).sort(([, a], [, b]) => a.usedAt - b.usedAt);
      const surplus = Math.max(0, kept.size - limit);
      for (const [i, [inboxId, one]] of idle.entries()) {
        if (i < surplus || !one.session.usable || clock.monotonic() - one.usedAt > idleMs) void drop(inboxId);
      }
    },
    async closeAll() {
      await Promise.all([...kept.keys()].map(async (id) => drop(id)));
    },
  };
}
