import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#platform/config.ts';
import type { Random } from '#platform/random.ts';
import type { SealingKey } from '#platform/secretbox.ts';

/**
 * The keys that seal secrets and sign links: first SEALING_KEY, or the one in DATA_DIR, made at the first start; then those of OLD_SEALING_KEYS,
 * which still open and verify. Back them up: sealed passwords need them.
 */
export const sealingKeys = (config: Config, random: Random): SealingKey[] =>
  [config.SEALING_KEY ?? keptKey(config.DATA_DIR, random), ...config.OLD_SEALING_KEYS].map(sealingKeyOf);

/** A key (32 bytes in base64) is named after itself, so that it keeps its name when it becomes an old one. */
export function sealingKeyOf(text: string): SealingKey {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32) throw new Error(`The sealing key holds ${key.length} bytes, not 32 in base64.`);
  return { id: `k${createHash('sha256').update(key).digest('hex').slice(0, 8)}`, key };
}

function keptKey(dataDir: string, random: Random): string {
  const path = join(dataDir, 'sealing.key');
  mkdirSync(dataDir, { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${random.bytes(32).toString('base64')}\n`, { mode: 0o600 });
  try {
    // Appears whole or not at all, and the first of two processes wins.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path, 'utf8').trim();
}
