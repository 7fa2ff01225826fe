import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#platform/config.ts';
import type { Random } from '#platform/random.ts';
import type { SealingKey } from '#platform/secretbox.ts';

/** The key that seals secrets: SEALING_KEY, or the one in DATA_DIR, made at the first start. Back it up: sealed passwords need it. */
export function sealingKey(config: Config, random: Random): SealingKey {
  const text = config.SEALING_KEY ?? keptKey(config.DATA_DIR, random);
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32) throw new Error(`The sealing key holds ${key.length} bytes, not 32 in base64.`);
  return { id: 'k1', key };
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
