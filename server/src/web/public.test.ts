import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { systemClock } from '#platform/clock.ts';
import type { World } from '#world/ctx.ts';
import { callersLately } from './callers.ts';
import { type PublicRoute, mountPublic, pageOf } from './public.ts';

test('what goes wrong behind a link is told as a page, and a pixel is a pixel all the same', async () => {
  const logged: object[] = [];
  const clock = systemClock();
  const world = { clock, log: { error: (what: object) => void logged.push(what) } } as unknown as World;
  const answer = () => Promise.reject(new Error('secret detail'));
  const page = pageOf({ status: 404, title: 'Gone <b>', text: ['"&\''] });
  const pixel = { status: 200, type: 'image/gif', body: Buffer.from('GIF') };
  const routes: PublicRoute[] = [
    { methods: ['GET', 'POST'], path: '/u/{token}', answer, otherwise: page },
    { methods: ['GET'], path: '/o/{token}', answer, otherwise: pixel },
  ];
  const app = fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_req, body, done) => done(null, body));
  mountPublic(app, world, routes, callersLately(clock));
  const broken = await app.inject({ method: 'POST', url: '/u/x' });
  assert.deepEqual([broken.statusCode, broken.headers['content-type']], [503, 'text/html; charset=utf-8']);
  assert.doesNotMatch(broken.body, /secret|Error/);
  assert.equal(logged.length, 1);
  const large = await app.inject({ method: 'POST', url: '/u/x', payload: Buffer.alloc(100_000) });
  assert.deepEqual([large.statusCode, /enough/.test(large.body), logged.length], [413, true, 1]);
  const picture = await app.inject({ method: 'GET', url: '/o/x' });
  assert.deepEqual([picture.statusCode, picture.body], [200, 'GIF']);
  assert.match(String(page.body), /Gone &#60;b&#62;.*&#34;&#38;&#39;/s);
  await app.close();
});
