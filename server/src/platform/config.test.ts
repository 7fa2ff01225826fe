import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, allowsPrivateWebhooks, assertLinksLeadSomewhere, configFrom } from './config.ts';

const faultsOf = (env: Record<string, string>) => {
  try {
    configFrom(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
  return [];
};

test('without an environment everything has its default', () => {
  const config = configFrom({});
  assert.deepEqual([config.PORT, config.HOST, config.DATA_DIR, config.ALLOW_PRIVATE_MAIL_HOSTS], [3000, '127.0.0.1', './data', false]);
  assert.ok(Object.isFrozen(config));
});

test('webhooks of test mode may go to private addresses with the embedded database, or when the operator says so', () => {
  const allows = (env: Record<string, string>) => allowsPrivateWebhooks(configFrom(env));
  const elsewhere = { DATABASE_URL: 'postgres://elsewhere' };
  assert.deepEqual([allows({}), allows(elsewhere)], [true, false]);
  assert.deepEqual([allows({ ALLOW_PRIVATE_WEBHOOKS: 'false' }), allows({ ...elsewhere, ALLOW_PRIVATE_WEBHOOKS: 'true' })], [false, true]);
});

test('every mistake is told at once, by name, and no value with it', () => {
  const faults = faultsOf({
    PORT: '70000',
    BASE_URL: 'ftp://example.com',
    LOG_LEVEL: 'loud',
    ALLOW_PRIVATE_MAIL_HOSTS: 'yes',
    RATE_LIMIT_BURST: '1.5',
    CLOCK_SPEED: '0.5',
    SEALING_KEY: 'canary-too-short',
    DATABASE_URL_FILE: '/nowhere/at/all',
    NOT_OURS: 'whatever',
  });
  const names = faults.map((line) => line.split(':')[0]!).sort();
  assert.deepEqual(names, [
    'ALLOW_PRIVATE_MAIL_HOSTS',
    'BASE_URL',
    'CLOCK_SPEED',
    'DATABASE_URL_FILE',
    'LOG_LEVEL',
    'PORT',
    'RATE_LIMIT_BURST',
    'SEALING_KEY',
  ]);
  assert.ok(!faults.join().includes('canary'));
});

test('a worker of its own must be told where the links of its mails lead', () => {
  const namesIt = (error: unknown) => error instanceof ConfigError && error.message.includes('BASE_URL');
  assert.throws(() => assertLinksLeadSomewhere(configFrom({})), namesIt);
  assertLinksLeadSomewhere(configFrom({ BASE_URL: 'https://api.example.com' }));
  assertLinksLeadSomewhere(configFrom({ TRACKING_URL: 'https://links.example.com' }));
});

test('bounds', () => {
  for (const PORT of ['-1', '65536', '3000.5', 'abc', 'NaN', '1e9']) assert.equal(faultsOf({ PORT }).length, 1, PORT);
  for (const PORT of ['0', '65535', ' 3000 ']) assert.deepEqual(faultsOf({ PORT }), [], PORT);
  for (const flag of ['TRUE', '1', 'yes', 'on']) assert.equal(faultsOf({ ALLOW_PRIVATE_MAIL_HOSTS: flag }).length, 1, flag);
  for (const since of ['yesterday', '2026-02-30T00:00:00Z', '2026-01-01']) assert.equal(faultsOf({ CLOCK_SINCE: since }).length, 1, since);
});

test('empty counts as absent, in the environment and in a file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-config-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const empty = join(folder, 'empty');
  writeFileSync(empty, '\n');
  const config = configFrom({ PORT: '', HOST: '  ', BASE_URL: '', DATABASE_URL_FILE: empty, LOG_LEVEL_FILE: '' });
  assert.deepEqual([config.PORT, config.HOST, config.BASE_URL, config.DATABASE_URL], [3000, '127.0.0.1', undefined, undefined]);
});

test('NAME_FILE names a file that holds the value, and goes before NAME', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-config-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const key = Buffer.alloc(32, 7).toString('base64');
  writeFileSync(join(folder, 'key'), `${key}\n`);
  const config = configFrom({ SEALING_KEY_FILE: join(folder, 'key'), SEALING_KEY: 'ignored', MAIL_CA_FILE: join(folder, 'ca.pem') });
  assert.equal(config.SEALING_KEY, key);
  // This setting is itself the name of a file.
  assert.equal(config.MAIL_CA_FILE, join(folder, 'ca.pem'));
});
