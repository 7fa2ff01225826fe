import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Snapshot, columns, lineOf, tableOf } from './progress.ts';

test('columns stand under each other', () => {
  assert.deepEqual(columns([['a', 'long'], ['name', 1]]), ['a      long', 'name      1']); // prettier-ignore
});

const perStep = [299, 258, 246];
const shot: Snapshot = {
  seconds: 75.4,
  state: 'sending',
  mailboxes: ['ann@sender.test', 'benjamin.longer@sender.test'].map((address) => ({ address, cap: 400, sent: 803, perStep })),
  perStep,
  replied: 100,
  outOfOffice: 100,
  bounced: 100,
  failed: 100,
  unknown: 100,
  stopped: 100,
  kills: 100,
  expected: 806,
};

test('no line is wider than the terminal, and none than 100 even with large figures', () => {
  const lines = tableOf(shot, 99, false);
  assert.ok(Math.max(...lines.map((line) => line.length)) <= 100);
  assert.ok(tableOf(shot, 40, false).every((line) => line.length <= 40));
  assert.ok(lines.some((line) => line.includes(' 99 %   1:15')) && lines.at(-1) === 'sending; worker killed 100×');
  const usual = { ...shot, replied: 43, outOfOffice: 17, bounced: 11, failed: 1, unknown: 2, kills: 10 };
  assert.ok(lineOf(usual).length <= 100, lineOf(usual));
});

test('colours only where they are wanted', () => {
  const coloured = tableOf(shot, 99, true).join('\n');
  assert.ok(coloured.includes('\x1b['));
  assert.equal(coloured.replaceAll(/\x1b\[\d+m/g, ''), tableOf(shot, 99, false).join('\n'));
});
