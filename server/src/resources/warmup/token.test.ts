import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { seeded } from '#platform/random.ts';
import { secretBox } from '#platform/secretbox.ts';
import { parseMessage } from '#mail/parse/parse-message.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import type { World } from '#world/ctx.ts';
import { isAboutWarmup, takeWarmup } from './receive.ts';
import { HEADER, keyIn, markCited, markOn, tokenOf, warmupMessageId } from './token.ts';

const random = seeded(5);
const means = { clock: systemClock(), random };
const worldOf = (...fills: number[]) => ({
  box: secretBox(
    fills.map((fill) => ({ id: `k${fill}`, key: Buffer.alloc(32, fill) })),
    random,
  ),
});
const world = worldOf(1);
const key = { workspaceId: newId(means, 'wsp'), id: newId(means, 'wum') };
const parsed = (head: string) => parseMessage(Buffer.from(`${head}From: a@b.test\r\n\r\nx\r\n`), { truncated: false });

test('a token names its mail; any other bit, length or key, and it names nothing', () => {
  const token = tokenOf(world, key);
  assert.deepEqual(keyIn(world, token), key);
  const bytes = Buffer.from(token, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    assert.equal(keyIn(world, flipped.toString('base64url')), null, `bit ${bit}`);
  }
  for (const bad of ['', token.slice(1), `${token}A`, `${token}=`, 'A'.repeat(64)]) assert.equal(keyIn(world, bad), null, bad);
  assert.equal(keyIn(worldOf(2), token), null);
  assert.deepEqual(keyIn(worldOf(2, 1), token), key);
});

test('a message is known by its header or its Message-ID, a report by what it cites', async () => {
  const id = warmupMessageId(world, key, 'ann@Sender.test');
  assert.match(id, /^<[\w-]{64}@sender\.test>$/);
  assert.deepEqual(markOn(world, await parsed(`${HEADER}: ${tokenOf(world, key)}\r\nMessage-ID: <1@other.test>\r\n`)), key);
  assert.deepEqual(markOn(world, await parsed(`Message-ID: ${id}\r\n`)), key);
  assert.equal(markOn(world, await parsed(`${HEADER}: yes\r\nMessage-ID: <${'a'.repeat(64)}@sender.test>\r\n`)), null);
  const answer = await parsed(`In-Reply-To: ${id}\r\n`);
  assert.deepEqual([markOn(world, answer), markCited(world, answer, [id])], [null, key]);
  assert.equal(markCited(world, answer, ['<1@other.test>']), null);
});

test('mail without our mark asks the database nothing, whatever it claims', async () => {
  const untouched = new Proxy({}, { get: (_, name) => assert.fail(`the database was asked (${String(name)})`) });
  const blind = { ...world, db: untouched } as unknown as World;
  const inbox = { mode: 'live', workspace_id: key.workspaceId, id: 'inb_1', warmup_enabled: true } as Inbox;
  const about = { inbox, folder: { role: 'inbox', path: 'INBOX' } as const, at: { uidValidity: '1', uid: 1 } };
  for (const head of ['', 'Message-ID: <1@b.test>\r\n', `${HEADER}: ${'A'.repeat(64)}\r\nMessage-ID: <${'b'.repeat(64)}@b.test>\r\n`]) {
    const message = await parsed(head);
    assert.equal(await takeWarmup(blind, { ...about, message }), false);
    assert.equal(await isAboutWarmup(blind, inbox, message, ['<2@b.test>', `<${'c'.repeat(64)}@b.test>`]), false);
  }
  // Nor does a true mark where no pool is: in test mode.
  const marked = await parsed(`${HEADER}: ${tokenOf(world, key)}\r\n`);
  assert.equal(await takeWarmup(blind, { ...about, inbox: { ...inbox, mode: 'test' }, message: marked }), false);
  await assert.rejects(takeWarmup(blind, { ...about, message: marked }), /database was asked/);
});
