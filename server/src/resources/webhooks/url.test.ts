import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '#platform/refusal.ts';
import { PRIVATE_HOSTS, PRIVATE_IPV6 } from '#testing/private-hosts.ts';
import type { Mode } from '#world/ctx.ts';
import { assertUrl } from './url.ts';

const refuses = (text: string, mode: Mode, allowPrivate: boolean) => {
  try {
    assertUrl(text, mode, allowPrivate);
    return false;
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'validation_failed' && error.details.param === 'url', String(error));
    return true;
  }
};

const PRIVATE = [
  ...PRIVATE_HOSTS,
  ...PRIVATE_IPV6.map((one) => `[${one}]`),
  '[0:0:0:0:0:0:0:1]',
  '127%2e0%2e0%2e1',
  'printer.local',
  'router.home.arpa',
  'db',
  'postgres',
  'metadata.google.internal.',
  '①②⑦.0.0.1',
  '0xA9FEA9FE',
  '2852039166',
];

test('no spelling of a private host is taken where only public ones may be', () => {
  for (const host of PRIVATE) {
    for (const port of ['', ':443', ':8443']) {
      assert.ok(refuses(`https://${host}${port}/hook`, 'live', false), `live ${host}${port}`);
      assert.ok(refuses(`http://${host}${port}/hook`, 'test', false), `test ${host}${port}`);
    }
  }
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', 'db']) assert.ok(!refuses(`http://${host}:4000/hook`, 'test', true), host);
});

test('what is no address of http, in either mode', () => {
  const odd = [
    '',
    ' ',
    'hooks.example.com',
    '//hooks.example.com',
    'https:hooks.example.com',
    'https:/hooks.example.com',
    'https://',
    'https:///x',
    'https://?x',
    'file:///etc/passwd',
    'gopher://hooks.example.com',
    'ftp://hooks.example.com',
    'data:text/html,x',
    'javascript:alert(1)',
    'ws://hooks.example.com',
    'https://u@hooks.example.com',
    'https://u:p@hooks.example.com',
    'https://@hooks.example.com',
    'https://:@hooks.example.com',
    'https://hooks.example.com#x',
    'https://hooks.example.com/#',
    'https://hooks.example.com:0/',
    'https://hooks.example.com:65536/',
    'https://hooks.example.com:x/',
    'https://hooks.example.com:-1/',
    ' https://hooks.example.com',
    'https://hooks.example.com ',
    'https://hooks.exa mple.com',
    'https://hooks.example.com/\r\nx: y',
    'https://hooks.example.com/\0',
    'https://hooks.example.com\\@127.0.0.1',
    'https:\\\\hooks.example.com',
    'https://hooks.example.com/\u202ex',
    'https://hooks.example.com/\t',
    'https://hooks\u00ad.example.com',
    'https://%00.example.com',
    'https://[::1',
    'https://a..example.com:99999',
  ];
  for (const text of odd) for (const mode of ['live', 'test'] as const) assert.ok(refuses(text, mode, true), JSON.stringify(text));
});

test('live endpoints are https; what is public and plain is taken as it is', () => {
  assert.ok(refuses('http://hooks.example.com', 'live', false));
  assert.ok(refuses('http://hooks.example.com', 'live', true));
  assert.ok(!refuses('http://hooks.example.com', 'test', false));
  const plain = ['https://hooks.example.com', 'HTTPS://Hooks.Example.com/A?b=c&d=%20', 'https://hooks.example.com:8443/x', 'https://93.184.216.34/x'];
  for (const text of [...plain, 'https://[2606:4700::1111]/', 'https://bücher.example.com/', 'https://a.example.com/@x:y']) {
    assert.ok(!refuses(text, 'live', false), text);
  }
});
