import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const SDK = resolve(import.meta.dirname, '..');

test('the SDK runs in any runtime: it imports only itself, and names nothing that only one of them has', () => {
  const files = globSync('src/**/*.ts', { cwd: SDK });
  assert.ok(files.length > 15);
  // Types alone run nowhere.
  for (const file of files.filter((one) => !one.endsWith('.gen.ts'))) {
    const text = readFileSync(join(SDK, file), 'utf8');
    for (const [, to = ''] of text.matchAll(/(?:\bfrom\s|^import\s|\bimport\()\s*'([^'\n]+)'/gm)) assert.match(to, /^\.\//, `${file} imports ${to}`);
    assert.doesNotMatch(text, /(?<![.\w'"])(?:require|Buffer|__dirname|__filename|setImmediate|Deno|Bun|window|document)\b(?!['"])(?=[.(\s])/, file);
  }
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8')) as Record<string, unknown>;
  assert.deepEqual([dependencies, peerDependencies], [undefined, undefined]);
});
