import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Capabilities, capabilitiesOf } from './capabilities.ts';
import { commandsFor } from './envelope.ts';

const FULL = capabilitiesOf(['hi', 'PIPELINING', 'SIZE 1000', '8BITMIME', 'SMTPUTF8', 'AUTH PLAIN', 'AUTH=LOGIN plain', 'starttls']);
const BARE = capabilitiesOf(['hi']);

/** The MAIL line without its end. */
function mailLine(offered: Capabilities, eightBit: boolean, to: string) {
  const commands = commandsFor({ from: 'a@b.test', to: [to] }, 10, eightBit, offered);
  return Array.isArray(commands) ? commands[0]?.line.trimEnd() : commands.reply.enhanced;
}

test('capabilities are read in any case and both spellings of AUTH', () => {
  assert.deepEqual(FULL, {
    startTls: true,
    pipelining: true,
    eightBitMime: true,
    smtpUtf8: true,
    size: true,
    sizeLimit: 1000,
    auth: new Set(['PLAIN', 'LOGIN']),
  });
  assert.deepEqual([BARE.pipelining, BARE.size, BARE.sizeLimit, BARE.auth.size], [false, false, null, 0]);
  for (const size of ['SIZE', 'SIZE 0', 'SIZE lots', `SIZE ${'9'.repeat(40)}`]) assert.equal(capabilitiesOf(['hi', size]).sizeLimit, null, size);
});

test('the greeting line offers nothing', () => {
  assert.equal(capabilitiesOf(['STARTTLS']).startTls, false);
});

test('MAIL declares what is needed and offered, nothing else', () => {
  assert.equal(mailLine(FULL, false, 'x@y.test'), 'MAIL FROM:<a@b.test> SIZE=10');
  assert.equal(mailLine(FULL, true, 'x@y.test'), 'MAIL FROM:<a@b.test> SIZE=10 BODY=8BITMIME');
  assert.equal(mailLine(FULL, false, 'é@y.test'), 'MAIL FROM:<a@b.test> SIZE=10 SMTPUTF8');
  assert.equal(mailLine(BARE, true, 'x@y.test'), 'MAIL FROM:<a@b.test>');
  assert.equal(mailLine(BARE, false, 'é@y.test'), '5.6.7');
});

test('a bounce address may be empty', () => {
  const commands = commandsFor({ from: '', to: ['x@y.test'] }, 10, false, BARE);
  assert.equal(Array.isArray(commands) && commands[0]?.line, 'MAIL FROM:<>\r\n');
});
