import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { goldenMails } from './golden.ts';

const FOLDER = new URL('../../../golden/mail/', import.meta.url);

test('the golden letters are as they were', () => {
  const mails = goldenMails();
  assert.deepEqual(
    readdirSync(FOLDER)
      .filter((name) => name.endsWith('.eml'))
      .toSorted(),
    Object.keys(mails).toSorted(),
  );
  for (const [name, mail] of Object.entries(mails))
    assert.equal(mail, readFileSync(new URL(name, FOLDER), 'utf8'), `${name} differs: npm run golden, then read the diff`);
});
