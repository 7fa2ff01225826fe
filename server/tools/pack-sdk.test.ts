import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { packSdk } from './pack-sdk.ts';

const TSC = resolve(import.meta.dirname, '../../node_modules/.bin/tsc');
const USE = `
import { Postrider, PostriderError, type Contact } from '@postrider/sdk';
const postrider = new Postrider({ apiKey: 'svc_test_x', fetch: async () => Response.json({ id: 'con_1', email: 'ann@example.com' }) });
const contact: Contact = await postrider.contacts.create({ email: 'ann@example.com' });
console.log(contact.email, PostriderError.name);
`;

test('the package runs as plain modules, and its types serve a strict caller', () => {
  const place = mkdtempSync(join(tmpdir(), 'postrider-sdk-'));
  try {
    const folder = join(place, 'node_modules/@postrider/sdk');
    mkdirSync(folder, { recursive: true });
    packSdk(folder);
    for (const name of globSync('**/*.{js,d.ts}', { cwd: folder })) {
      assert.doesNotMatch(readFileSync(join(folder, name), 'utf8'), /(?:from |import\()['"][^'"]+(?<!\.d)\.ts['"]/, name);
    }
    writeFileSync(join(place, 'package.json'), '{"type":"module"}');
    writeFileSync(join(place, 'use.ts'), USE);
    const options = ['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable', '--strict', '--types', '', '--ignoreConfig'];
    execFileSync(process.execPath, [TSC, ...options, '--outDir', place, join(place, 'use.ts')], { cwd: place, stdio: 'pipe' });
    assert.equal(execFileSync(process.execPath, [join(place, 'use.js')], { encoding: 'utf8' }), 'ann@example.com PostriderError\n');
  } finally {
    rmSync(place, { recursive: true });
  }
});
