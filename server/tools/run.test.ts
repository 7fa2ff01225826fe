import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

type Lock = { packages: Record<string, unknown> };
type Machine = { platform: string; arch: string; execPath: string; versions: { node: string } };
const { isComplete, findNode } = (await import('./run.mjs' as string)) as {
  isComplete(lock: Lock, installed: Lock, machine?: { platform: string; arch: string }): boolean;
  findNode(root: string, machine?: Machine): string;
};

const root = mkdtempSync(join(tmpdir(), 'postrider-run-'));
after(() => rmSync(root, { recursive: true, force: true }));
const machine = { platform: 'linux', arch: 'x64' };
const lock = (packages: Record<string, unknown>) => ({ packages });

/** A project of one program and no dependency, so that nothing is installed by the test. */
function project(script: string): void {
  const nothing = JSON.stringify({ name: 'p', lockfileVersion: 3, packages: { '': { name: 'p' } } });
  for (const dir of ['server/tools', 'node_modules']) mkdirSync(join(root, dir), { recursive: true });
  cpSync(join(import.meta.dirname, 'run.mjs'), join(root, 'server/tools/run.mjs'));
  writeFileSync(join(root, 'package-lock.json'), nothing);
  writeFileSync(join(root, 'node_modules/.package-lock.json'), nothing);
  writeFileSync(join(root, 'server/program.mjs'), script);
}

const start = (...args: string[]) =>
  spawn(process.execPath, ['server/tools/run.mjs', 'program.mjs', ...args], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });

async function endOf(child: ChildProcess): Promise<[number | null, string | null]> {
  return (await once(child, 'exit')) as [number | null, string | null];
}

test('complete means: every package of the lock at its version, except optional ones of other machines', () => {
  const a = { 'node_modules/a': { version: '1.0.0', integrity: 'x' } };
  assert.equal(isComplete(lock(a), lock(a), machine), true);
  assert.equal(isComplete(lock(a), lock({}), machine), false);
  assert.equal(isComplete(lock(a), lock({ 'node_modules/a': { version: '1.0.1', integrity: 'x' } }), machine), false);
  const b = (os: string) => lock({ 'node_modules/b': { version: '1.0.0', optional: true, os: [os], cpu: ['x64'] } });
  assert.equal(isComplete(b('darwin'), lock({}), machine), true);
  assert.equal(isComplete(b('linux'), lock({}), machine), false);
});

test('an old Node without the one from npm is told what to do', () => {
  assert.throws(() => findNode(root, { ...machine, execPath: '/n', versions: { node: '20.1.0' } }), /needs Node 26/);
  assert.equal(findNode(root, { ...machine, execPath: '/n', versions: { node: '26.0.0' } }), '/n');
});

test('arguments, folder and exit code go through', async () => {
  project(`process.stdout.write(process.cwd() + ' ' + process.argv.slice(2).join('|')); process.exitCode = 7;`);
  const child = start('a', 'b c');
  let out = '';
  child.stdout.on('data', (part: Buffer) => (out += part.toString()));
  assert.deepEqual(await endOf(child), [7, null]);
  assert.equal(out, `${root} a|b c`);
});

test('SIGTERM reaches the program, and a program that dies of a signal is seen to', async () => {
  project(`process.on('SIGTERM', () => process.exit(9)); process.on('SIGINT', () => process.kill(process.pid, 'SIGKILL'));
    setInterval(() => {}, 1000); console.log('up');`);
  for (const [signal, end] of [
    ['SIGTERM', [9, null]],
    ['SIGINT', [null, 'SIGKILL']],
  ] as const) {
    const child = start();
    await once(child.stdout, 'data');
    child.kill(signal);
    assert.deepEqual(await endOf(child), end);
  }
});
