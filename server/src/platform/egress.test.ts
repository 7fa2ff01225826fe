import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { localhostCert, otherHostCert, testCa } from '#testing/certs/certs.ts';
import { PRIVATE_HOSTS, PRIVATE_IPV6 } from '#testing/private-hosts.ts';
import { systemClock } from './clock.ts';
import { EgressError, type EgressFault, egress, faultOf } from './egress.ts';

const clock = systemClock();
const guarded = (addressesOf?: (host: string) => Promise<string[]>) => egress({ allowPrivate: false, extraCa: [testCa] }, clock, addressesOf);
const free = (extraCa: string[], addressesOf?: (host: string) => Promise<string[]>) => egress({ allowPrivate: true, extraCa }, clock, addressesOf);

const servers: Server[] = [];
const sockets = new Set<Socket>();
async function listening<S extends Server>(server: S): Promise<S & { port: number }> {
  servers.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

/** Whoever reaches it has got past the guard. */
let canary: Server & { port: number };
let reached = 0;
before(async () => {
  canary = await listening(createServer((socket) => (reached++, socket.on('error', () => undefined).end())));
});
after(() => {
  servers.forEach((one) => one.close());
  sockets.forEach((one) => one.destroy());
});

const failing = async (work: Promise<unknown>, ...faults: EgressFault[]) => {
  const error = await work.then(
    () => assert.fail('it went through'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof EgressError, String(error));
  assert.ok(faults.includes(error.fault), `${error.fault}: ${error.message}`);
};

const PRIVATE = [
  ...PRIVATE_HOSTS,
  ...PRIVATE_IPV6,
  '[::1]',
  '[::]',
  '[::ffff:7f00:1]',
  '[::7f00:1]',
  '::127.0.0.1',
  'fe80::1%lo',
  '::ffff:a9fe:a9fe',
  '',
  ' ',
  '127.0.0.1 ',
  '[127.0.0.1',
  '127.0.0.1\0.example.com',
  'a',
  '127.0.0.1/x',
  '127.0.0.1:80',
  'x@127.0.0.1',
];

test('no spelling of a private address is ever dialled', async () => {
  const out = guarded();
  for (const host of PRIVATE) {
    await failing(out.resolve(host), 'blocked_address', 'dns');
    for (const tls of [true, false]) await failing(out.open({ host, port: canary.port, tls, timeoutMs: 60_000 }), 'blocked_address', 'dns');
  }
  assert.equal(reached, 0);
});

test('one private address among many condemns the name, wherever it stands', async () => {
  for (const answer of [['127.0.0.1'], ['93.184.216.34', '10.0.0.1'], ['::1', '93.184.216.34'], ['2606:4700::1111', '::ffff:127.0.0.1']]) {
    await failing(guarded(async () => answer).resolve('rebind.example.com'), 'blocked_address');
  }
  assert.equal(await guarded(async () => ['93.184.216.34', '2606:4700::1111']).resolve('good.example.com'), '93.184.216.34');
  await failing(guarded(async () => []).resolve('empty.example.com'), 'dns');
});

test('a number that resolvers read as an address is no host name, wherever it leads', async () => {
  let asked = 0;
  const out = guarded(async () => {
    asked++;
    return ['93.184.216.34'];
  });
  for (const host of ['1572395042', '0x5db8d822', '93.184', '93.0xb8.216.34', '1572395042.']) await failing(out.resolve(host), 'blocked_address');
  assert.equal(asked, 0);
});

test('a name is asked for once, and the address that was judged is the one that is dialled', async () => {
  let asked = 0;
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  const rebinding = free([testCa], async () => answers[asked++] ?? ['127.0.0.3']);
  const open = await listening(createServer());
  const socket = await rebinding.open({ host: 'rebind.example.com', port: open.port, tls: false, timeoutMs: 60_000 });
  assert.equal(socket.remoteAddress, '127.0.0.1');
  assert.equal(asked, 1);
  socket.destroy();
});

test('a certificate counts when the authority is known and the name is right', async () => {
  const right = await listening(createTlsServer(localhostCert));
  const wrong = await listening(createTlsServer(otherHostCert));
  const known = free([testCa]);
  for (const host of ['localhost', '127.0.0.1']) {
    const socket = await known.open({ host, port: right.port, tls: true, timeoutMs: 60_000 });
    socket.destroy();
    await failing(known.open({ host, port: wrong.port, tls: true, timeoutMs: 60_000 }), 'tls');
    await failing(free([]).open({ host, port: right.port, tls: true, timeoutMs: 60_000 }), 'tls');
  }
  const other = free([testCa], async () => ['127.0.0.1']);
  await failing(other.open({ host: 'mail.example.com', port: right.port, tls: true, timeoutMs: 60_000 }), 'tls');
  (await other.open({ host: 'other-host.test', port: wrong.port, tls: true, timeoutMs: 60_000 })).destroy();
});

test('an upgrade is judged like a connection', async () => {
  const wrong = await listening(createTlsServer(otherHostCert));
  const out = free([testCa]);
  const upgraded = async (host: string) => {
    const socket = await out.open({ host: '127.0.0.1', port: wrong.port, tls: false, timeoutMs: 60_000 });
    return out.upgrade(socket, host, 60_000);
  };
  await failing(upgraded('localhost'), 'tls');
  (await upgraded('other-host.test')).destroy();
});

test('a server that does not answer is given up in time, whatever it does not answer', async () => {
  const silent = await listening(createServer((socket) => void socket.on('error', () => undefined)));
  const started = clock.monotonic();
  await failing(free([]).open({ host: '127.0.0.1', port: silent.port, tls: true, timeoutMs: 50 }), 'timeout');
  const forever = () => new Promise<string[]>(() => undefined);
  await failing(free([], forever).open({ host: 'slow.example.com', port: 1, tls: false, timeoutMs: 50 }), 'timeout');
  const plain = await free([]).open({ host: '127.0.0.1', port: silent.port, tls: false, timeoutMs: 60_000 });
  await failing(free([]).upgrade(plain, 'localhost', 50), 'timeout');
  assert.ok(clock.monotonic() - started < 30_000);
});

test('the faults of sockets have names', async () => {
  const closed = await listening(createServer());
  closed.close();
  await failing(free([]).open({ host: '127.0.0.1', port: closed.port, tls: false, timeoutMs: 60_000 }), 'refused');
  await failing(free([]).open({ host: 'no-such-host.invalid', port: 1, tls: false, timeoutMs: 60_000 }), 'dns');
  const table: [string, EgressFault][] = [
    ['ECONNREFUSED', 'refused'],
    ['ENETUNREACH', 'refused'],
    ['ETIMEDOUT', 'timeout'],
    ['ECONNRESET', 'reset'],
    ['EPIPE', 'reset'],
    ['EAI_AGAIN', 'dns'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
  ];
  for (const [code, fault] of table) assert.equal(faultOf(Object.assign(new Error(), { code })), fault, code);
});
