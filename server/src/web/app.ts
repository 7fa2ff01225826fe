// HTTP, once for all routes: who calls, how often, with what, and how the answer looks.
import type { Socket } from 'node:net';
import fastify, { type ConnectionError, type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import multipart from '@fastify/multipart';
import { Registry } from 'prom-client';
import { newId } from '#platform/ids.ts';
import { householdOf } from '#platform/ip.ts';
import { Refusal } from '#platform/refusal.ts';
import type { World } from '#world/ctx.ts';
import type { Principal } from '#world/principal.ts';
import { buckets } from './buckets.ts';
import { type Callers, callersLately } from './callers.ts';
import { envelopeOf, internalError, refusalOf } from './envelope.ts';
import { mountMetrics } from './metrics.ts';
import { type Page, mountPages } from './page.ts';
import { performer, refuse } from './perform.ts';
import { type About, openApiDocument } from './openapi.ts';
import { type PublicRoute, addressOf, mountPublic } from './public.ts';
import { bearerOf, noSuchKey, requireScope } from './principal.ts';
import { readJob } from './read.ts';
import { REFERENCE_PATHS, mountReference } from './reference.ts';
import type { Route } from './route.ts';
import { MAX_UPLOAD_BYTES, UPLOAD_LIMITS } from './upload.ts';
import { VERSION } from './version.ts';

/** What the app must be told from above. */
export type Means = {
  /** The principal of a secret; undefined, or a thrown `invalid_api_key`, when there is none. */
  authenticate: (world: World, secret: string) => Promise<Principal | undefined>;
  /** Whether calls can be served; whatever it holds besides `ok` is shown at /readyz. Without it the service is always ready. */
  ready?: () => Promise<{ ok: boolean }>;
  /** Pages for people. */
  pages?: readonly Page[];
  /** The links that stand in mails. */
  publicRoutes?: readonly PublicRoute[];
  /** What /metrics shows besides the requests. */
  register?: Registry;
  /** What the reference says beyond the routes. */
  about?: About;
};

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined;
  }
}

const MAX_JSON_BYTES = 1024 * 1024;
const SERVER = {
  bodyLimit: MAX_JSON_BYTES,
  return503OnClosing: false,
  // A whole request, its body included, must have arrived by then: 50 MiB at 7 Mbit/s.
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  http: { headersTimeout: 10_000, connectionsCheckingInterval: 5_000 },
  // Thread ids hold a Message-ID.
  routerOptions: { maxParamLength: 2_000 },
} as const;

/** The HTTP service over `routes`. It listens to nothing yet: call `listen` or `inject`; `close` waits for the calls under way. */
export function createApp(world: World, routes: readonly Route[], means: Means): FastifyInstance {
  const baseUrl = world.config.BASE_URL ?? `http://${world.config.HOST}:${world.config.PORT}`;
  const stamp = stamper(world.config.RATE_LIMIT_BURST);
  const say = sayer(world, baseUrl, stamp);
  const app = fastify({
    ...SERVER,
    trustProxy: world.config.TRUSTED_PROXIES.length > 0 ? world.config.TRUSTED_PROXIES : false,
    genReqId: () => newId(world, 'req'),
    frameworkErrors: (error, req, reply) => say(error, req, reply),
    clientErrorHandler: (error, socket) => answerBroken(error, socket, newId(world, 'req'), baseUrl),
  }) as FastifyInstance;

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_req, body, done) => done(null, body));
  app.decorateRequest('principal', undefined);
  app.addHook('onRequest', async (req, reply) => void stamp(req, reply));
  app.setErrorHandler<FastifyError>((error, req, reply) => say(error, req, reply));
  const links = means.publicRoutes ?? [];
  const everything = [...routes, ...links.flatMap(({ methods, path }) => methods.map((method) => ({ method, path })))];
  app.setNotFoundHandler((req, reply) => say(noRoute(everything, req, reply), req, reply));

  mountMetrics(app, means.register ?? new Registry(), world.config.METRICS_TOKEN);
  mountUnversioned(app, routes, means, baseUrl);
  mountPages(app, world, means.pages ?? []);
  const callers = callersLately(world.clock);
  mountPublic(app, world, links, callers);
  const admit = doorkeeper(world, means, callers);
  for (const route of routes) if (!route.spec.upload) mount(app, world, route, admit, baseUrl);
  void app.register(async (scope) => {
    await scope.register(multipart, { limits: UPLOAD_LIMITS });
    for (const route of routes) if (route.spec.upload) mount(scope, world, route, admit, baseUrl);
  });
  return app;
}

function mount(app: FastifyInstance, world: World, route: Route, admit: ReturnType<typeof doorkeeper>, baseUrl: string): void {
  const perform = performer(world, route, baseUrl);
  app.route({
    method: route.method,
    url: spelling(route.path),
    bodyLimit: route.spec.upload ? MAX_UPLOAD_BYTES : (route.spec.maxBodyBytes ?? MAX_JSON_BYTES),
    onRequest: (req, reply) => admit(route, req, reply),
    handler: async (req, reply) => {
      const call = await readJob(world, route, req);
      const { status, text, replayed } = await ('refusal' in call ? refuse(call, baseUrl) : perform(call));
      if (replayed) void reply.header('idempotent-replayed', 'true');
      return reply.code(status).type('application/json; charset=utf-8').send(text);
    },
  });
}

const spelling = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Lets a call in by its key, its rate and its scope, in this order, before a byte of the body is read. */
function doorkeeper(world: World, { authenticate }: Means, callers: Callers) {
  const level = buckets({ clock: world.clock, perSecond: world.config.RATE_LIMIT_PER_SECOND, burst: world.config.RATE_LIMIT_BURST });
  const stranger = strangers(world);
  return async (route: Route, req: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const secret = bearerOf(req.headers.authorization);
    const principal = secret === undefined ? undefined : await authenticate(world, secret);
    if (!principal) throw stranger(householdOf(req.ip));
    const address = addressOf(req);
    if (address !== null) callers.note(principal.workspaceId, address);
    const { limit, remaining, reset, retryAfter } = level(principal.workspaceId);
    void reply.header('ratelimit-limit', limit).header('ratelimit-remaining', remaining).header('ratelimit-reset', reset);
    if (retryAfter !== undefined) throw new Refusal('rate_limit_exceeded', 'Too many requests.', { retryAfterSeconds: retryAfter });
    requireScope(principal.scope, route.spec.scope);
    req.principal = principal;
  };
}

/** What to say to whoever has no valid key: that, or, to an address that has tried too often, to wait. */
function strangers({ clock, config: { AUTH_FAILURES_PER_MINUTE: most } }: World): (address: string) => Refusal {
  const guess = buckets({ clock, perSecond: most / 60, burst: most });
  return (address) => {
    const { retryAfter } = guess(address);
    if (retryAfter === undefined) return noSuchKey();
    return new Refusal('rate_limit_exceeded', 'Too many calls without a valid API key.', { retryAfterSeconds: retryAfter });
  };
}

type Stamp = (req: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** What every answer has in its head. Until a call is known to be somebody's, nothing of anybody's rate is taken. */
function stamper(burst: number): Stamp {
  const untouched = { 'ratelimit-limit': burst, 'ratelimit-remaining': burst, 'ratelimit-reset': 0 };
  const always = { 'service-version': VERSION, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
  return (req, reply) => {
    if (!reply.hasHeader('ratelimit-limit')) void reply.headers(untouched);
    return reply.headers({ 'request-id': req.id, ...always });
  };
}

/** Answers bytes that are no HTTP request, or that did not come in time: no route, not even a reply object, is there yet. */
function answerBroken(error: ConnectionError, socket: Socket, requestId: string, baseUrl: string): void {
  if (!socket.writable) return void socket.destroy();
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = late ? '408 Request Timeout' : tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const message = late ? 'The request did not arrive in time.' : tooLarge ? 'The header is too large.' : 'The request could not be read.';
  const { text } = envelopeOf(new Refusal('invalid_parameter', message), requestId, baseUrl);
  const head = [
    `HTTP/1.1 ${status}`,
    `Request-Id: ${requestId}`,
    `Service-Version: ${VERSION}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}

/** Answers with the envelope of an error. A bug is logged with the request id, and nothing of it is told. */
function sayer({ log }: World, baseUrl: string, stamp: Stamp) {
  return (error: unknown, req: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = refusalOf(error);
    if (!refusal || refusal.code === 'service_unavailable') log.error({ err: error, request_id: req.id, method: req.method }, 'a request failed');
    const { status, headers, text } = envelopeOf(refusal ?? internalError(), req.id, baseUrl);
    return stamp(req, reply).code(status).headers(headers).type('application/json; charset=utf-8').send(text);
  };
}

/** What to say where no route is: 405 with the methods of the path, or 404. */
function noRoute(routes: readonly Pick<Route, 'method' | 'path'>[], req: FastifyRequest, reply: FastifyReply): Refusal {
  const path = req.url.split('?', 1)[0]!;
  const fitting = routes.filter((route) => patternOf(route.path).test(path));
  const methods = new Set<string>(UNVERSIONED.some((one) => patternOf(one).test(path)) ? ['GET'] : fitting.map((route) => route.method));
  if (methods.size === 0) return new Refusal('resource_missing', 'There is nothing at this path.');
  if (methods.has('GET')) methods.add('HEAD');
  void reply.header('allow', [...methods].sort().join(', '));
  return new Refusal('method_not_allowed', `${req.method} is not possible here, but ${[...methods].sort().join(', ')}.`);
}

const patternOf = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);

const UNVERSIONED = ['/health', '/v1/health', '/livez', '/readyz', '/metrics', '/openapi.json', ...REFERENCE_PATHS];

/** The paths that need no key. */
function mountUnversioned(app: FastifyInstance, routes: readonly Route[], { ready, about }: Means, baseUrl: string): void {
  const health = async () => ({ status: 'ok', service: 'api', version: VERSION });
  app.get('/health', health);
  app.get('/v1/health', health);
  app.get('/livez', async () => ({ ok: true }));
  app.get('/readyz', async (_req, reply) => {
    const state = ready ? await ready() : { ok: true };
    return reply.code(state.ok ? 200 : 503).send(state);
  });
  mountReference(app, routes, baseUrl);
  let document: string | undefined;
  app.get('/openapi.json', async (_req, reply) => {
    document ??= JSON.stringify(openApiDocument(routes, { version: VERSION, baseUrl, about }));
    return reply.type('application/json; charset=utf-8').send(document);
  });
}
