// HTTP, once for all routes: who calls, how often, with what, and how the answer looks.
import type { Socket } from 'node:net';
import fastify, { type ConnectionError, type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import multipart from '@fastify/multipart';
import { newId } from '#platform/ids.ts';
import { Refusal } from '#platform/refusal.ts';
import type { World } from '#world/ctx.ts';
import type { Principal } from '#world/principal.ts';
import { buckets } from './buckets.ts';
import { envelopeOf, internalError, refusalOf } from './envelope.ts';
import { openApiDocument } from './openapi.ts';
import { performer } from './perform.ts';
import { bearerOf, noSuchKey, requireScope } from './principal.ts';
import { readJob } from './read.ts';
import type { Route } from './route.ts';
import { MAX_UPLOAD_BYTES, UPLOAD_LIMITS } from './upload.ts';
import { VERSION } from './version.ts';

/** What the app must be told from above. */
export type Means = {
  /** The principal of a secret; undefined, or a thrown `invalid_api_key`, when there is none. */
  authenticate: (world: World, secret: string) => Promise<Principal | undefined>;
  /** Whether calls can be served; whatever it holds besides `ok` is shown at /readyz. Without it the service is always ready. */
  ready?: () => Promise<{ ok: boolean }>;
};

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined;
  }
}

const MAX_JSON_BYTES = 1024 * 1024;
const SERVER = {
  bodyLimit: MAX_JSON_BYTES,
  trustProxy: false,
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
  const say = sayer(world, baseUrl);
  const app = fastify({
    ...SERVER,
    genReqId: () => newId(world, 'req'),
    frameworkErrors: (error, req, reply) => say(error, req, reply),
    clientErrorHandler: (error, socket) => answerBroken(error, socket, newId(world, 'req'), baseUrl),
  }) as FastifyInstance;

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_req, body, done) => done(null, body));
  app.decorateRequest('principal', undefined);
  app.addHook('onRequest', async (req, reply) => void stamp(req, reply));
  app.setErrorHandler<FastifyError>((error, req, reply) => say(error, req, reply));
  app.setNotFoundHandler((req, reply) => say(noRoute(routes, req, reply), req, reply));

  mountUnversioned(app, routes, means, baseUrl);
  const admit = doorkeeper(world, means);
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
    bodyLimit: route.spec.upload ? MAX_UPLOAD_BYTES : MAX_JSON_BYTES,
    onRequest: (req, reply) => admit(route, req, reply),
    handler: async (req, reply) => {
      const { status, text, replayed } = await perform(await readJob(world, route, req));
      if (replayed) void reply.header('idempotent-replayed', 'true');
      return reply.code(status).type('application/json; charset=utf-8').send(text);
    },
  });
}

const spelling = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Lets a call in by its key, its rate and its scope, in this order, before a byte of the body is read. */
function doorkeeper(world: World, { authenticate }: Means) {
  const level = buckets({ clock: world.clock, perSecond: world.config.RATE_LIMIT_PER_SECOND, burst: world.config.RATE_LIMIT_BURST });
  return async (route: Route, req: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const secret = bearerOf(req.headers.authorization);
    const principal = secret === undefined ? undefined : await authenticate(world, secret);
    if (!principal) throw noSuchKey();
    const { limit, remaining, reset, retryAfter } = level(principal.workspaceId);
    void reply.header('ratelimit-limit', limit).header('ratelimit-remaining', remaining).header('ratelimit-reset', reset);
    if (retryAfter !== undefined) throw new Refusal('rate_limit_exceeded', 'Too many requests.', { retryAfterSeconds: retryAfter });
    requireScope(principal.scope, route.spec.scope);
    req.principal = principal;
  };
}

function stamp(req: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.headers({ 'request-id': req.id, 'service-version': VERSION, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
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
function sayer({ log }: World, baseUrl: string) {
  return (error: unknown, req: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = refusalOf(error);
    if (!refusal || refusal.code === 'service_unavailable') log.error({ err: error, request_id: req.id, method: req.method }, 'a request failed');
    const { status, headers, text } = envelopeOf(refusal ?? internalError(), req.id, baseUrl);
    return stamp(req, reply).code(status).headers(headers).type('application/json; charset=utf-8').send(text);
  };
}

/** What to say where no route is: 405 with the methods of the path, or 404. */
function noRoute(routes: readonly Route[], req: FastifyRequest, reply: FastifyReply): Refusal {
  const path = req.url.split('?', 1)[0]!;
  const fitting = routes.filter((route) => patternOf(route.path).test(path));
  const methods = new Set<string>(UNVERSIONED.includes(path) ? ['GET'] : fitting.map((route) => route.method));
  if (methods.size === 0) return new Refusal('resource_missing', 'There is nothing at this path.');
  if (methods.has('GET')) methods.add('HEAD');
  void reply.header('allow', [...methods].sort().join(', '));
  return new Refusal('method_not_allowed', `${req.method} is not possible here, but ${[...methods].sort().join(', ')}.`);
}

const patternOf = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);

const UNVERSIONED = ['/health', '/v1/health', '/livez', '/readyz', '/openapi.json'];

/** The paths that need no key. */
function mountUnversioned(app: FastifyInstance, routes: readonly Route[], { ready }: Means, baseUrl: string): void {
  const health = async () => ({ status: 'ok', service: 'api', version: VERSION });
  app.get('/health', health);
  app.get('/v1/health', health);
  app.get('/livez', async () => ({ ok: true }));
  app.get('/readyz', async (_req, reply) => {
    const state = ready ? await ready() : { ok: true };
    return reply.code(state.ok ? 200 : 503).send(state);
  });
  let document: string | undefined;
  app.get('/openapi.json', async (_req, reply) => {
    document ??= JSON.stringify(openApiDocument(routes, { version: VERSION, baseUrl }));
    return reply.type('application/json; charset=utf-8').send(document);
  });
}
