// The reference and the pages of errors, served by ourselves: no font, script or call goes anywhere else.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { Refusal } from '#platform/refusal.ts';
import { errorListPage, errorPage, isCode } from './error-pages.ts';
import { indexOf, llmsText } from './overview.ts';
import type { Route } from './route.ts';

/** The paths that are served here. */
export const REFERENCE_PATHS = ['/docs', '/docs/scalar.js', '/docs/errors', '/docs/errors/{code}', '/llms.txt', '/v1'];

const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Mount the pages. The reference itself is made at the first request for it: its script is four megabytes that most processes never need. */
export function mountReference(app: FastifyInstance, routes: readonly Route[], baseUrl: string): void {
  let making: Promise<Reference> | undefined;
  const reference = () => (making ??= makeReference());
  app.get('/docs', async (_req, reply) => {
    const { page, policy } = await reference();
    return html(reply, page, policy);
  });
  app.get('/docs/scalar.js', async (req, reply) => {
    const { script, packed } = await reference();
    const takesGzip = /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? ''));
    void reply.headers({ 'cache-control': 'public, max-age=86400', vary: 'accept-encoding' }).type('text/javascript; charset=utf-8');
    return takesGzip ? reply.header('content-encoding', 'gzip').send(packed) : reply.send(script);
  });
  app.get('/docs/errors', async (_req, reply) => html(reply, errorListPage(), PAGE_POLICY));
  app.get<{ Params: { code: string } }>('/docs/errors/:code', async ({ params: { code } }, reply) => {
    if (!isCode(code)) throw new Refusal('resource_missing', 'There is no such error.');
    return html(reply, errorPage(code), PAGE_POLICY);
  });
  app.get('/llms.txt', async (_req, reply) => reply.type('text/plain; charset=utf-8').send(llmsText(routes, baseUrl)));
  app.get('/v1', async () => indexOf(routes, baseUrl));
}

function html(reply: FastifyReply, page: string, policy: string): FastifyReply {
  return reply
    .headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY' })
    .type('text/html; charset=utf-8')
    .send(page);
}

type Reference = { page: string; policy: string; script: Buffer; packed: Buffer };

// Room for the words, nothing that only their own cloud can do.
const CONFIGURATION = {
  url: '/openapi.json',
  pageTitle: 'Postrider API',
  cdn: '/docs/scalar.js',
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'json',
  defaultOpenAllTags: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  agent: { disabled: true },
  mcp: { disabled: true },
} as const;

/** The page and its script as the package makes them, taken from an app of its own that nobody else can reach. */
async function makeReference(): Promise<Reference> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const inner = fastify();
  await inner.register(scalar, { routePrefix: '/r', configuration: CONFIGURATION });
  const [page, script] = await Promise.all([inner.inject('/r/'), inner.inject('/r/js/scalar.js')]);
  await inner.close();
  const bundle = script.rawPayload;
  return { page: page.body, policy: policyFor(page.body), script: bundle, packed: await promisify(gzip)(bundle) };
}

/** Only the scripts that stand in the page, each by its hash, and our own file; the reference styles itself as it goes. */
function policyFor(page: string): string {
  const inline = [...page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g)].map(([, code = '']) => code);
  const hashes = inline.map((code) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`);
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`.trim(),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
