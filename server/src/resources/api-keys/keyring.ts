import type { SecretBox } from '#platform/secretbox.ts';
import type { Principal } from '#world/principal.ts';

const KNOWN_FOR_MS = 30_000;
const MOST = 10_000;
/** Longer than any mutation runs: until then a dropped secret is looked up afresh each time. */
const WATCHED_FOR_MS = 120_000;

/** Who stands behind a hash, until when that is believed (machine time), and when its use was last noted (last_used_at). */
export type Entry = { principal: Principal; hash: string; goodUntil: number; notedAt: number };

/**
 * What this process remembers of secrets that it has checked: 30 seconds each, the 10,000 used last. A revocation in another process is
 * therefore seen within 30 seconds, one in this process at once.
 */
export class Keyring {
  readonly #entries = new Map<string, Entry>();
  readonly #watched = new Map<string, number>();

  get(hash: string, nowMs: number): Entry | undefined {
    const entry = this.#entries.get(hash);
    if (!entry) return undefined;
    this.#entries.delete(hash);
    if (entry.goodUntil <= nowMs) return undefined;
    this.#entries.set(hash, entry);
    return entry;
  }

  keep(entry: Omit<Entry, 'goodUntil'>, nowMs: number): void {
    if ((this.#watched.get(entry.hash) ?? 0) > nowMs) return;
    this.#entries.set(entry.hash, { ...entry, goodUntil: nowMs + KNOWN_FOR_MS });
    if (this.#entries.size > MOST) this.#entries.delete(this.#entries.keys().next().value!);
  }

  /** Forget a secret that is being revoked. Until that has committed another request may still read the old row: it must not be kept again. */
  drop(hash: string, nowMs: number): void {
    for (const [other, until] of this.#watched) if (until <= nowMs) this.#watched.delete(other);
    this.#watched.set(hash, nowMs + WATCHED_FOR_MS);
    this.#entries.delete(hash);
  }
}

const RINGS = new WeakMap<SecretBox, Keyring>();

/** The keyring of a world. Calls carry copies of their world; its secret box is the part that all of them share. */
export function keyringOf({ box }: { box: SecretBox }): Keyring {
  const known = RINGS.get(box);
  if (known) return known;
  const ring = new Keyring();
  RINGS.set(box, ring);
  return ring;
}
