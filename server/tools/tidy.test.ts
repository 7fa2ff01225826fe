import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemsOf } from './tidy.ts';

const at = (path: string) => `server/src/${path}`;
const rulesOf = (files: Record<string, string>) =>
  problemsOf(new Map(Object.entries(files))).map(({ rule, path, line }) => `${rule} ${path}:${line}`);
const body = (lines: number) => `export function long() {\n${'  go();\n'.repeat(lines - 2)}}\n`;
const q = '`';

/** One breach each: the rule, the file that must be named, its line, and the files. */
const BREACHES: [string, string, number, Record<string, string>][] = [
  ['floor', at('platform/a.ts'), 2, { [at('platform/a.ts')]: "\nimport { b } from '#store/b.ts';\n" }],
  ['floor', at('store/a.ts'), 1, { [at('store/a.ts')]: "import type { Ctx } from '#world/ctx.ts';\n" }],
  ['floor', at('mail/a.ts'), 1, { [at('mail/a.ts')]: "export { b } from '#world/b.ts';\n" }],
  ['floor', at('engine/sending/a.ts'), 1, { [at('engine/sending/a.ts')]: "const a = await import('#web/b.ts');\n" }],
  ['floor', at('web/a.ts'), 1, { [at('web/a.ts')]: "import { list } from '#resources/sends/index.ts';\n" }],
  ['floor', at('store/a.ts'), 1, { [at('store/a.ts')]: "import { b } from '../platform/b.ts';\n" }],
  ['floor', at('store/a.ts'), 1, { [at('store/a.ts')]: "import { b } from '#store/b.ts';\n" }],
  ['floor', 'cli/src/a.ts', 1, { 'cli/src/a.ts': "import { b } from '../../server/src/store/b.ts';\n" }],
  ['floor', at('roles/a.ts'), 1, { [at('roles/a.ts')]: "import { b } from '../../../sdk/src/b.ts';\n" }],
  ['door', at('resources/sends/a.ts'), 1, { [at('resources/sends/a.ts')]: "import { b } from '#resources/inboxes/store.ts';\n" }],
  ['door', at('engine/sending/a.ts'), 1, { [at('engine/sending/a.ts')]: "import { b } from '#resources/inboxes/routes.ts';\n" }],
  ['door', at('roles/a.ts'), 1, { [at('roles/a.ts')]: "import { b } from '#resources/inboxes/store.ts';\n" }],
  ['web', at('resources/sends/cancel.ts'), 1, { [at('resources/sends/cancel.ts')]: "import { ok } from '#web/route.ts';\n" }],
  ['loop', at('engine/sending/a.ts'), 1, { [at('engine/sending/a.ts')]: "import { b } from '../inbound/b.ts';\n" }],
  [
    'cycle',
    at('resources/a'),
    1,
    {
      [at('resources/a/index.ts')]: "import { b } from '../b/index.ts';\n",
      [at('resources/b/x.ts')]: "import type { A } from '#resources/a/index.ts';\n",
    },
  ],
  ['cycle', at('mail/a.ts'), 1, { [at('mail/a.ts')]: "import { b } from './b.ts';\n", [at('mail/b.ts')]: "export * from './a.ts';\n" }],
  ['sdk', 'sdk/src/a.ts', 1, { 'sdk/src/a.ts': "import { z } from 'zod';\n" }],
  ['network', at('mail/smtp/a.ts'), 1, { [at('mail/smtp/a.ts')]: "import { connect } from 'node:net';\n" }],
  ['network', at('store/a.ts'), 1, { [at('store/a.ts')]: "import fastify from 'fastify';\n" }],
  ['network', at('engine/webhooks/a.ts'), 1, { [at('engine/webhooks/a.ts')]: 'await fetch(url);\n' }],
  ['clock', at('web/a.ts'), 2, { [at('web/a.ts')]: '// Date.now() in a comment is no breach\nconst at = new Date();\n' }],
  ['clock', at('web/a.ts'), 1, { [at('web/a.ts')]: `const at = ${q}it is ${'${Date.now()}'} now${q};\n` }],
  ['chance', at('web/a.ts'), 1, { [at('web/a.ts')]: 'const a = Math.random();\n' }],
  ['timer', at('web/a.ts'), 1, { [at('web/a.ts')]: 'setTimeout(run, 5);\n' }],
  ['env', at('roles/a.ts'), 1, { [at('roles/a.ts')]: 'const a = process.env.HOME;\n' }],
  ['console', at('mail/a.ts'), 1, { [at('mail/a.ts')]: 'console.log(1);\n' }],
  ['sql-time', at('store/a.ts'), 1, { [at('store/a.ts')]: `const a = sql${q}select now()${q};\n` }],
  [
    'sql-time',
    'server/db/migrations/0001_a.sql',
    2,
    { 'server/db/migrations/0001_a.sql': '-- now()\ncreate table a (at timestamptz default current_timestamp);\n' },
  ],
  ['unfinished', at('mail/a.ts'), 1, { [at('mail/a.ts')]: '// TO' + 'DO: more\n' }],
  ['unfinished', at('mail/a.ts'), 1, { [at('mail/a.ts')]: '// @ts-' + 'ignore\n' }],
  ['syntax', at('mail/a.ts'), 1, { [at('mail/a.ts')]: 'const a = 1; enum Colour {}\n' }],
  ['machine-path', 'docs/a.md', 1, { 'docs/a.md': ['See ', 'home', 'ann', 'postrider\n'].join('/') }],
  ['name', at('mail/mail-utils.ts'), 1, { [at('mail/mail-utils.ts')]: '' }],
  ['name', at('mail/helpers/a.ts'), 1, { [at('mail/helpers/a.ts')]: '' }],
  ['name', at('mail/camelCase.ts'), 1, { [at('mail/camelCase.ts')]: '' }],
  ['file-length', at('mail/a.ts'), 301, { [at('mail/a.ts')]: 'go();\n'.repeat(301) }],
  ['file-length', at('mail/a.test.ts'), 601, { [at('mail/a.test.ts')]: 'go();\n'.repeat(601) }],
  ['line-length', at('mail/a.ts'), 1, { [at('mail/a.ts')]: `// ${'x'.repeat(148)}\n` }],
  ['function-length', at('mail/a.ts'), 1, { [at('mail/a.ts')]: body(51) }],
  [
    'function-length',
    at('mail/a.ts'),
    1,
    { [at('mail/a.ts')]: body(51).replace('function long()', 'const long = async (): Promise<{ a: string }> =>').replace('export', '') },
  ],
  ['function-length', at('mail/a.ts'), 1, { [at('mail/a.ts')]: body(51).replace('long()', 'long({ a }: { a: string }): { b: string }') }],
];

for (const [rule, path, line, files] of BREACHES) {
  test(`${rule}: ${Object.values(files).join(' | ').replaceAll('\n', ' ').slice(0, 80).trim() || path}`, () =>
    assert.deepEqual(rulesOf(files), [`${rule} ${path}:${line}`]));
}

test('what is allowed is not reported', () => {
  const files = {
    [at('resources/sends/routes.ts')]: "import { ok } from '#web/route.ts';\nimport { b } from '#resources/inboxes/index.ts';\n",
    [at('resources/all-routes.ts')]: "import { routes } from './sends/routes.ts';\n",
    [at('engine/all-loops.ts')]: "import { a } from './sending/a.ts';\n",
    [at('engine/sending/a.ts')]: "import { b } from '#resources/inboxes/index.ts';\nimport type { Socket } from 'node:net';\n",
    [at('resources/sends/sends.test.ts')]: "import { house } from '#testing/house.ts';\nsetTimeout(go, 1);\nimport net from 'node:net';\n",
    [at('platform/egress.ts')]: "import net from 'node:net';\nimport tls from 'node:tls';\n",
    [at('testing/peer.ts')]: "import net from 'node:net';\nsocket.setTimeout(5);\n",
    [at('web/app.ts')]: "import fastify from 'fastify';\nconst at = new Date('2026-01-01');\nconst now = clock.now();\n",
    [at('mail/types.ts')]: "import type { A } from './more.ts';\nconst re = /['`{]/;\nconst half = a / b / c;\n",
    [at('mail/more.ts')]: `import { b } from './types.ts';\nconst s = ${q}a ${'${f({ x: 1 })}'} b${q};\nif (a) {\n${'  go();\n'.repeat(60)}}\n`,
    [at('roles/main.ts')]: "import { b } from '#resources/sends/routes.ts';\nconsole.log('http://x');\n",
    [at('mail/groups.test.ts')]: `describe('a', () => {\n${"test('b', () => {});\n".repeat(60)}});\n`,
    'sdk/src/client.ts': "import { a } from './a.ts';\nawait fetch(url);\n",
    'cli/src/main.ts': "import { Postrider } from '@postrider/sdk';\nimport fs from 'node:fs';\nconsole.log(1);\n",
  };
  assert.deepEqual(rulesOf(files), []);
});

test('an exception covers as many problems as it says, no more and no fewer', () => {
  const path = at('mail/a.ts');
  const files = new Map([[path, 'console.log(1);\nconsole.log(2);\n']]);
  const left = (allow: number) => problemsOf(files, [{ rule: 'console', path, allow, why: 'a test' }]).map(({ rule }) => rule);
  assert.deepEqual(left(2), []);
  assert.deepEqual(left(1), ['console', 'console']);
  assert.deepEqual(left(3), ['exception']);
});
