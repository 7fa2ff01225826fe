import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ContactImportRow, importById, queueImport } from '#resources/contact-imports/index.ts';
import { rowsOf } from '#store/db.ts';
import { clearGate, gateBefore } from '#testing/gate.ts';
import { type House, house } from '#testing/house.ts';
import { until } from '#testing/until.ts';
import { actingFor } from '#world/ctx.ts';

const ROWS = 9_000;
const BAD = 30;
/** How far the import is when its worker is killed. */
const KILLS = [0, 5_000];
/** How far one comes that is not killed soon enough. */
const GATE = 7_500;

test('workers are killed in the middle of a file: no row is lost, none comes in twice', async (t) => {
  // Its calendar stands in the past: what it queues is due by the clock of the workers.
  await using h = await house({ start: '2020-01-01T00:00:00Z' });
  const ctx = await h.ctx();
  // Every 300th row is bad; every 500th repeats an address of the chunk that came before the last.
  const lines = Array.from({ length: ROWS }, (_, i) =>
    i % 300 === 7 ? 'bad,x' : `p${i % 500 === 499 && i > 4_500 ? i - 4_000 : i}@example.com,Name ${i}`,
  );
  const repeated = lines.length - new Set(lines.map((line) => line.split(',')[0])).size - (BAD - 1);
  const job = await queueImport(ctx, Buffer.from(`email,name\n${lines.join('\n')}\n`), { on_conflict: 'upsert', audience_name: 'All' });
  const settled = async () => (await importById(ctx, job.id))!.settled_rows;
  const workers: ChildProcess[] = [];
  t.after(() => workers.forEach((one) => one.kill('SIGKILL')));
  const program = [join(import.meta.dirname, 'worker.fixture.ts'), h.databaseUrl, h.world.config.DATA_DIR];
  const start = () => {
    const worker = spawn(process.execPath, program, { stdio: 'inherit' });
    workers.push(worker);
    return worker;
  };
  const openGate = await gateBefore(h.world, `p${GATE}@example.com`);
  for (const at of KILLS) {
    const worker = start();
    const ended = once(worker, 'exit');
    await until(async () => (await settled()) > at);
    worker.kill('SIGKILL');
    await ended;
    await clearGate(h.world);
    assert.equal((await importById(ctx, job.id))!.status, 'processing', 'killed before its end');
  }
  await openGate();
  const last = start();
  const ended = once(last, 'exit');
  await until(async () => (await importById(ctx, job.id))!.completed_at !== null);
  last.kill('SIGKILL');
  await ended;

  assert.ok(repeated > 5, String(repeated));
  await expectAll(h, job, { good: ROWS - BAD - repeated, bad: BAD + repeated });
});

async function expectAll(
  { world, db }: House,
  { workspace_id: workspaceId, mode, id }: ContactImportRow,
  { good, bad }: { good: number; bad: number },
) {
  const done = (await importById(actingFor(world, workspaceId, mode), id))!;
  assert.deepEqual([done.status, done.total_rows, done.succeeded_rows, done.failed_rows], ['succeeded', ROWS, good, bad]);
  const one = async (text: string) => (await rowsOf<{ count: number }>(db, text, [workspaceId]))[0]!.count;
  assert.equal(await one('select count(*) from contacts where workspace_id = $1'), good);
  assert.equal(await one('select count(*) from audience_contacts where workspace_id = $1'), good);
  assert.equal(await one('select count(*) from audiences where workspace_id = $1'), 1);
  assert.equal(await one(`select count(*) from events where workspace_id = $1 and type = 'contact.created'`), good);
  assert.equal(await one(`select count(distinct resource_id) from events where workspace_id = $1 and type = 'contact.created'`), good);
  assert.equal(await one(`select count(*) from events where workspace_id = $1 and type like 'import.%'`), 1);
  assert.equal(await one('select max(sequence) as count from events where workspace_id = $1'), good + 1);
  const errors = done.errors as { row: number; code: string }[];
  assert.equal(new Set(errors.map((error) => error.row)).size, bad);
  assert.deepEqual([...new Set(errors.map((error) => error.code))].sort(), ['duplicate_row', 'invalid_email']);
}
