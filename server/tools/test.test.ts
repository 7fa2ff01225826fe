// The runner gives a test that failed a second hearing in CI, and only there, and only when it then holds every time.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { holds } from './test.ts';

/** A test file that fails at these of its runs, counted from 1, and how often it has run. */
function planted(folder: string, name: string, failsAt: readonly number[]) {
  const file = join(folder, `${name}.test.mjs`);
  const runs = join(folder, name);
  writeFileSync(runs, '');
  const lines = [
    `import { appendFileSync, readFileSync } from 'node:fs';`,
    `import { test } from 'node:test';`,
    `appendFileSync(${JSON.stringify(runs)}, '.');`,
    `const run = readFileSync(${JSON.stringify(runs)}, 'utf8').length;`,
    `test('planted', () => { if (${JSON.stringify(failsAt)}.includes(run)) throw new Error('planted'); });`,
  ];
  writeFileSync(file, lines.join('\n'));
  return { file, runs: () => readFileSync(runs, 'utf8').length };
}

test('what failed is heard again in CI, by itself, and must hold every time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-runner-'));
  try {
    const well = planted(folder, 'well', []);
    const once = planted(folder, 'once', [1]);
    assert.equal(await holds([well.file, once.file], { ...process.env, CI: 'true' }, 'ignore'), 0);
    assert.deepEqual([well.runs(), once.runs()], [1, 4]);
    const late = planted(folder, 'late', [1, 3]);
    assert.equal(await holds([late.file], { ...process.env, CI: 'true' }, 'ignore'), 1);
    assert.equal(late.runs(), 3);
    const local = planted(folder, 'local', [1]);
    assert.equal(await holds([local.file], { ...process.env, CI: '' }, 'ignore'), 1);
    assert.equal(local.runs(), 1);
    const many = ['a', 'b', 'c'].map((name) => planted(folder, name, [1]));
    assert.equal(await holds(many.map(({ file }) => file), { ...process.env, CI: 'true' }, 'ignore'), 1); // prettier-ignore
    assert.deepEqual(many.map((one) => one.runs()), [1, 1, 1]); // prettier-ignore
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
