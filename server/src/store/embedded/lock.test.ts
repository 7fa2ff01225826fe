import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lockDataDir } from './lock.ts';

const dir = mkdtempSync(join(tmpdir(), 'pr-lock-'));
after(() => rmSync(dir, { recursive: true, force: true }));

function claimed(role: string): { release(): void } {
  const lock = lockDataDir(dir, role);
  assert.ok('release' in lock);
  return lock;
}

test('one holder at a time, by role, and none after release', () => {
  const first = claimed('main');
  assert.deepEqual(lockDataDir(dir, 'main'), { heldBy: process.pid });
  claimed('other').release();
  first.release();
  claimed('main').release();
  assert.deepEqual(readdirSync(dir), []);
});

test('a lock of a process that is gone, or whose process id another process got, does not block', async () => {
  const child = spawn('true');
  await once(child, 'exit');
  for (const stale of [`${child.pid} 1`, `${process.pid} 1`, 'nonsense', '']) {
    writeFileSync(join(dir, 'main.lock'), `${stale}\n`);
    claimed('main').release();
  }
});

test('release leaves the lock of a later holder alone', () => {
  const first = claimed('main');
  writeFileSync(join(dir, 'main.lock'), '1 \n');
  first.release();
  assert.deepEqual(lockDataDir(dir, 'main'), { heldBy: 1 });
});
