import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { type Stage, stage } from '#testing/stage.ts';
import { noCrash } from '../crash.ts';
import { finisher } from './finisher.ts';
import { type Journal, leftJournals, openJournal } from './journal.ts';
import type { Finished } from './outcome.ts';

const ACCEPTED = { kind: 'accepted', reply: { code: 250, enhanced: null, text: 'ok' } } as const;

/** Sends to these people, released and accepted, whose outcomes wait to be written. */
async function accepted(s: Stage, names: readonly string[]): Promise<Finished[]> {
  for (const name of names) await s.send(`${name}@people.test`);
  const sends = await rowsOf<Finished['send']>(s.h.db, `update sends set state = 'sending', fence = 1 returning *`, []);
  return sends.map((send) => ({ send, outcome: ACCEPTED, at: s.h.now() }));
}
const states = async (s: Stage) => Object.fromEntries((await s.api.sends.list()).data.map((one) => [one.to_email.split('@')[0], one.state]));

test('an outcome that the database refuses is lost alone, not with its batch', async () => {
  await using s = await stage();
  const outcomes = await accepted(s, ['poison', 'a', 'b']);
  await rowsOf(s.h.db, `alter table sends add constraint poison check (to_email <> 'poison@people.test' or state <> 'sent')`, []);
  const journal = await openJournal(s.h.journalFolder, 'worker.1.1');
  const finish = finisher(s.h.world, journal, noCrash);
  await Promise.all(outcomes.map(finish.one));
  assert.deepEqual(await states(s), { poison: 'sending', a: 'sent', b: 'sent' });
  assert.deepEqual([finish.pending(), finish.isWhole()], [0, false]);
  await journal.close(finish.isWhole());
});

test('where the journal cannot be written the database is told all the same, and a line that was cut off spoils none after it', async () => {
  await using s = await stage();
  const [first, second] = await accepted(s, ['a', 'b']);
  const journal = await openJournal(s.h.journalFolder, 'worker.1.1');
  let full = true;
  const append: Journal['append'] = async (entries) =>
    full ? Promise.reject(new Error('ENOSPC: no space left on device')) : journal.append(entries);
  const finish = finisher(s.h.world, { ...journal, append }, noCrash);
  await finish.one(first!);
  assert.equal((await s.row(first!.send.id)).state, 'sent');
  full = false;
  await appendFile(join(s.h.journalFolder, 'worker.1.1.jsonl'), '{"workspace_id":"wsp_');
  await finish.one(second!);
  const entries = (await leftJournals(s.h.journalFolder, (id) => id !== 'worker.1.1')).flatMap((one) => one.entries);
  assert.deepEqual(
    entries.map((one) => one.id),
    [second!.send.id],
  );
  await journal.close(finish.isWhole());
});
