import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const fileAt = (path: string) => join(ROOT, /^(?:sdk|server|docs)\//.test(path) ? path : `server/src/${path}`);

/** Rows of tables: section, where, test. */
const rows = readFileSync(join(ROOT, 'docs/conformance.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| section'))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()));

test('each place and each test that the conformance table names is there', () => {
  assert.ok(rows.length > 50);
  for (const [section = '', built = '', shown = '', more] of rows) {
    assert.equal(more, undefined, `${section}: three columns`);
    for (const [, path = ''] of `${built} ${shown}`.matchAll(/`([^`]+)`/g)) assert.ok(existsSync(fileAt(path)), `${section}: no file ${path}`);
    for (const [, path = '', title = ''] of shown.matchAll(/`([^`]+)` “([^”]+)”/g)) {
      assert.ok(readFileSync(fileAt(path), 'utf8').includes(`'${title}'`), `${section}: ${path} has no test “${title}”`);
    }
  }
});

test('what is said to be built is said to be shown, and the other way round', () => {
  for (const [section = '', built = '', shown = ''] of rows) {
    // What is open names what it waits for.
    for (const cell of [built, shown]) assert.match(cell, /^(?:\*open\*: \w|`)/, section);
    if (!built.startsWith('`') || !shown.startsWith('`')) assert.equal(built, shown, section);
  }
});
