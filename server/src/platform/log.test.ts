import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logTo } from './log.ts';

const CANARY = 'canary-5d41402abc';

function written(use: (log: ReturnType<typeof logTo>) => void): string {
  const lines: string[] = [];
  use(logTo('debug', { write: (line) => void lines.push(line) }));
  assert.ok(lines.length > 0);
  for (const line of lines) assert.doesNotThrow(() => JSON.parse(line), line);
  return lines.join('');
}

const NAMES = ['password', 'secret', 'authorization', 'Authorization', 'token', 'live_key', 'test_key', 'sealed', 'cookie', 'Set-Cookie'];
const MORE = ['smtp_password', 'smtp_password_sealed', 'accessToken', 'secret_hash', 'clientSecret', 'apiKey', 'pass'];

test('a secret is never written, however deep it lies', () => {
  for (const name of [...NAMES, ...MORE]) {
    let held: object = { [name]: CANARY, host: 'kept' };
    for (let depth = 0; depth < 7; depth++) {
      const text = written((log) => log.info(held, 'a line'));
      assert.ok(!text.includes(CANARY), `${name} at ${depth}: ${text}`);
      // Further down nothing at all is written.
      if (depth < 4) assert.ok(text.includes('kept'), text);
      held = depth % 2 ? { inner: held } : { list: [held, 1] };
    }
  }
});

test('nor in what hangs on an error, its cause, or a child', () => {
  const cause = Object.assign(new Error('why'), { config: { auth: { password: CANARY } } });
  const error = Object.assign(new Error('broke', { cause }), { options: { headers: [{ authorization: CANARY }] } });
  const text = written((log) => {
    log.error({ err: error }, 'failed');
    log.error(error);
    log.child({ server: { password: CANARY } }).warn('hello');
    log.warn({ deep: { error } });
  });
  assert.ok(!text.includes(CANARY), text);
  assert.match(text, /"type":"Error"/);
  for (const kept of ['broke', 'why', 'log.test.ts', 'hello']) assert.ok(text.includes(kept), kept);
});

test('what is not secret is written as it is, circles and dates too', () => {
  const circle: Record<string, unknown> = { host: 'mail.example.com', at: new Date(0), count: 3, none: null, api_key_id: 'key_1' };
  circle['self'] = circle;
  const line = JSON.parse(written((log) => log.info(circle, 'said'))) as Record<string, unknown>;
  assert.deepEqual(
    [line['host'], line['at'], line['count'], line['none'], line['api_key_id'], line['msg']],
    ['mail.example.com', '1970-01-01T00:00:00.000Z', 3, null, 'key_1', 'said'],
  );
  assert.match(String(line['time']), /^\d{4}-\d\d-\d\dT/);
});
