import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import * as sdk from '@postrider/sdk';
import { house } from './house.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PAGES = ['sdk/README.md', ...globSync('docs/guides/*.md', { cwd: ROOT })].sort();

/** The TypeScript of a page as one program; what it imports from the SDK is there already. */
function programOf(text: string): string {
  const blocks = [...text.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, code = '']) => code);
  return stripTypeScriptTypes(blocks.join('\n').replaceAll(/^import .*@postrider\/sdk.*\n/gm, ''));
}

/** A delivery as the service signs it with the secret that the page shows. */
function delivery(at: number): Request {
  const body = JSON.stringify({ id: 'evt_1', object: 'event', type: 'message.replied', created_at: new Date(at * 1000).toISOString(), data: {} });
  const signature = createHmac('sha256', 'whsec_example').update(`${at}.${body}`).digest('hex');
  return new Request('https://example.com', { method: 'POST', body, headers: { 'service-signature': `t=${at},v1=${signature}` } });
}

const AsyncFunction = (async () => {}).constructor as new (...args: string[]) => (...values: unknown[]) => Promise<void>;

for (const page of PAGES) {
  test(`${page}: its examples do what they say`, async () => {
    await using h = await house();
    const client = await h.api();
    let made = 0;
    const said: unknown[][] = [];
    class Postrider {
      constructor(options: { apiKey: string }) {
        assert.match(options.apiKey, /^svc_test_/);
        made++;
        return client;
      }
    }
    const given = {
      ...sdk,
      Postrider,
      console: { log: (...words: unknown[]) => said.push(words) },
      request: delivery(Math.floor(Date.now() / 1000)),
    };
    const names = Object.keys(given).filter((name) => name !== 'default');
    await new AsyncFunction(...names, programOf(readFileSync(join(ROOT, page), 'utf8')))(...names.map((name) => given[name as keyof typeof given]));
    assert.equal(made, 1, 'the page makes one client');
    assert.ok(said.length > 0, 'the page shows something');
    assert.ok(!said.flat().includes(undefined), JSON.stringify(said));
  });
}

test('links between the pages lead somewhere', () => {
  for (const page of globSync(['*.md', 'docs/**/*.md', 'sdk/*.md'], { cwd: ROOT })) {
    for (const [, target = ''] of readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (!/^\w+:/.test(target)) assert.ok(globSync(join(page, '..', target), { cwd: ROOT }).length === 1, `${page} links to ${target}`);
    }
  }
});
