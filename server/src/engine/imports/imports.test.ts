import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Postrider } from '@postrider/sdk';
import { rowsOf } from '#store/db.ts';
import { type ContactImportRow, ImportTakenOver, claimDue, importById, importChunk, queueImport } from '#resources/contact-imports/index.ts';
import { gateBefore } from '#testing/gate.ts';
import { type House, house } from '#testing/house.ts';
import { until } from '#testing/until.ts';
import { refused } from '#testing/refused.ts';
import { importsLoop } from './index.ts';

let h: House;
before(async () => void (h = await house()));
after(() => h.close());

const people = (count: number, name: string) => Array.from({ length: count }, (_, i) => `${name}${i}@example.com,Name ${i}`);
const csv = (...lines: string[]) => Buffer.from(`email,name\n${lines.join('\n')}\n`);
const count = async (table: string, workspaceId: string) =>
  (await rowsOf<{ count: number }>(h.db, `select count(*) from ${table} where workspace_id = $1`, [workspaceId]))[0]!.count;
const told = async (api: Postrider, type: 'import.completed' | 'import.failed') => (await api.events.list({ type, limit: 100 })).data;

test('a file of more than 50,000 rows is queued, then carried out: contacts, events, audience, errors and counts as within a call', async () => {
  const who = { workspace: 'large' };
  const [api, ctx] = [await h.api(who), await h.ctx(who)];
  await api.contacts.create({ email: 'P7@example.com', attributes: { city: 'Bonn' } });
  // Bad rows are rows, too, and quick.
  const lines = [...people(1_500, 'p'), ...Array.from({ length: 48_500 }, () => 'bad'), 'P3@example.com,again'];
  const job = await api.contactImports.create({ file: csv(...lines), audience_name: 'Large' });
  assert.equal(job.lastResponse.status, 202);
  assert.deepEqual([job.status, job.total_rows, job.succeeded_rows, job.started_at, job.audience_id], ['queued', 0, 0, null, null]);
  assert.deepEqual([await count('contacts', ctx.workspaceId), await count('contact_import_parts', ctx.workspaceId)], [1, 1]);
  assert.deepEqual((await api.events.list()).data.map((one) => one.type), ['contact.created']); // prettier-ignore
  h.tick(60_000);
  await h.settle();
  const done = await api.contactImports.retrieve(job.id);
  assert.deepEqual(
    [done.status, done.total_rows, done.succeeded_rows, done.failed_rows, done.audience_created],
    ['succeeded', 50_001, 1_500, 48_501, true],
  );
  assert.deepEqual([done.started_at, done.completed_at], [h.now().toISOString(), h.now().toISOString()]);
  assert.deepEqual([done.errors.length, done.errors[0]!.row, done.errors[0]!.error.code], [1_000, 1_502, 'invalid_email']);
  assert.equal((await api.audiences.retrieve(done.audience_id!)).contact_count, 1_500);
  const [known] = (await api.contacts.list({ email: 'p7@example.com' })).data;
  assert.deepEqual(known!.attributes, { city: 'Bonn', name: 'Name 7' });
  const types = await rowsOf<{ type: string; count: number }>(
    h.db, 'select type, count(*) from events where workspace_id = $1 group by type order by type', [ctx.workspaceId]); // prettier-ignore
  assert.deepEqual(types, [
    { type: 'contact.created', count: 1_500 },
    { type: 'contact.updated', count: 1 },
    { type: 'import.completed', count: 1 },
  ]);
  assert.deepEqual((await told(api, 'import.completed'))[0]!.data, JSON.parse(JSON.stringify(done)));
  assert.equal(await count('contact_import_parts', ctx.workspaceId), 0, 'the file is gone');
});

test('what the call can see is refused in the call; a dry run of any length is answered in it', async () => {
  const who = { workspace: 'in call' };
  const [api, ctx] = [await h.api(who), await h.ctx(who)];
  const file = csv(...people(3, 'd'), ...Array.from({ length: 50_000 }, () => 'bad'));
  const dry = await api.contactImports.create({ file, dry_run: true });
  assert.deepEqual([dry.lastResponse.status, dry.total_rows, dry.valid_rows, dry.invalid_rows, dry.errors.length], [200, 50_003, 3, 50_000, 1_000]);
  const foreign = (await (await h.api({ workspace: 'in call, other' })).audiences.create({ name: 'x' })).id;
  await refused(api.contactImports.create({ file, audience_id: foreign }), 404, 'resource_missing', 'audience_id');
  await refused(api.contactImports.create({ file, mapping: { email: 'Nope' } }), 422, 'validation_failed', 'mapping.email');
  assert.equal(await count('contact_imports', ctx.workspaceId), 0);
  const again = { idempotencyKey: 'large-once' };
  const first = await api.contactImports.create({ file }, again);
  const replayed = await api.contactImports.create({ file }, again);
  assert.deepEqual([first.lastResponse.status, replayed.lastResponse.status, replayed.id], [202, 202, first.id]);
  assert.equal(await count('contact_imports', ctx.workspaceId), 1);
  await h.settle();
  assert.equal((await api.contactImports.retrieve(first.id)).succeeded_rows, 3);
});

/** An import that waits, of as many rows as a test wants. */
async function queued(workspace: string, lines: readonly string[], wishes: object = {}): Promise<{ api: Postrider; job: ContactImportRow }> {
  const job = await queueImport(await h.ctx({ workspace }), csv(...lines), { on_conflict: 'upsert', ...wishes });
  return { api: await h.api({ workspace }), job };
}

test('a file that is damaged at its very end imports nothing', async () => {
  const { api, job } = await queued('damaged', [...people(2_500, 'x'), '"x@example.com,open'], { audience_name: 'Never' });
  await h.settle();
  const failed = await api.contactImports.retrieve(job.id);
  assert.deepEqual([failed.status, failed.succeeded_rows, failed.errors.map((one) => one.error.code)], ['failed', 0, ['import_unreadable']]);
  assert.deepEqual([await count('contacts', job.workspace_id), await count('audiences', job.workspace_id)], [0, 0]);
  assert.deepEqual((await told(api, 'import.failed')).map((one) => one.resource_id), [job.id]); // prettier-ignore
});

test('nothing but bad rows is a failed import; an audience that is gone by then costs no contact', async () => {
  const bad = await queued('bad rows', ['bad', 'worse']);
  const { id } = await (await h.api({ workspace: 'gone' })).audiences.create({ name: 'Gone' });
  const gone = await queued('gone', people(5, 'g'), { audience_id: id });
  await gone.api.audiences.delete(id);
  await h.settle();
  assert.deepEqual([(await bad.api.contactImports.retrieve(bad.job.id)).status, (await told(bad.api, 'import.failed')).length], ['failed', 1]);
  const done = await gone.api.contactImports.retrieve(gone.job.id);
  assert.deepEqual([done.status, done.succeeded_rows, await count('audience_contacts', gone.job.workspace_id)], ['succeeded', 5, 0]);
});

test('a worker that is told to stop gives the import back, and another goes on where it stopped', async () => {
  const { api, job } = await queued('handed over', people(6_000, 'h'));
  const openGate = await gateBefore(h.world, 'h3500@example.com');
  const first = importsLoop(h.world, { processId: 'first', isAlive: () => true });
  await first.step();
  await until(async () => (await importById(await h.ctx({ workspace: 'handed over' }), job.id))!.settled_rows > 0);
  const seen = await api.contactImports.retrieve(job.id);
  assert.deepEqual([seen.status, seen.total_rows, seen.completed_at], ['processing', 6_000, null]);
  const closed = first.close();
  await openGate();
  await closed;
  const between = (await importById(await h.ctx({ workspace: 'handed over' }), job.id))!;
  assert.ok(between.settled_rows >= seen.succeeded_rows && between.settled_rows < 6_000, String(between.settled_rows));
  assert.deepEqual([between.lease_holder, between.status], [null, 'processing']);
  await h.settle();
  const done = await api.contactImports.retrieve(job.id);
  assert.deepEqual([done.status, done.succeeded_rows, done.failed_rows], ['succeeded', 6_000, 0]);
  assert.equal(await count('events', job.workspace_id), 6_001);
});

test('a worker that comes late writes nothing: neither rows nor progress nor events', async () => {
  const { job } = await queued('late', people(10, 'l'));
  const claim = (holder: string, leasedUntil: Date) => claimDue(h.world, { holder, limit: 10, leasedUntil });
  const [late] = await claim('late', new Date(h.now().getTime() + 1_000));
  assert.equal((await claim('early bird', h.now())).length, 0, 'a lease keeps others away');
  h.tick(1_001);
  const [next] = await claim('next', new Date(h.now().getTime() + 60_000));
  assert.deepEqual([late!.id, next!.id, next!.fence], [job.id, job.id, late!.fence + 1]);
  const rows = { total: 1, good: [{ nth: 1, row: 2, email: 'l0@example.com', attributes: {} }], faults: [] };
  await assert.rejects(importChunk(await h.ctx({ workspace: 'late' }), late!, rows, h.now()), ImportTakenOver);
  assert.deepEqual([await count('contacts', job.workspace_id), await count('events', job.workspace_id)], [0, 0]);
  h.tick(61_000);
  await h.settle();
  assert.deepEqual([await count('contacts', job.workspace_id), await count('events', job.workspace_id)], [10, 11]);
});

test('what fails each time is tried again, later each time, and then has failed', async () => {
  const { api, job } = await queued('poison', [...people(1_200, 'ok'), 'poison@example.com,x']);
  await rowsOf(h.db, `create function refuse_poison() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`, []);
  await rowsOf(
    h.db,
    `create trigger poison before insert on contacts for each row when (new.email_key like 'poison%') execute function refuse_poison()`,
    [],
  );
  const states: string[] = [];
  for (let i = 0; i < 5; i++) {
    await h.settle();
    await h.settle();
    states.push((await api.contactImports.retrieve(job.id)).status);
    h.tick(60_000);
  }
  await rowsOf(h.db, 'drop trigger poison on contacts', []);
  assert.deepEqual(states, ['processing', 'processing', 'processing', 'processing', 'failed']);
  const failed = await api.contactImports.retrieve(job.id);
  assert.deepEqual([failed.errors.map((one) => one.error.code), failed.completed_at !== null], [['internal_error'], true]);
  assert.equal(failed.succeeded_rows, await count('contacts', job.workspace_id));
  assert.equal((await told(api, 'import.failed')).length, 1);
});
