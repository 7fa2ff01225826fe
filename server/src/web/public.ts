// The addresses that stand in mails: for people, mail programs and machines that have no key. Nothing here sets a cookie, and nothing but our own
// signature in the address says what it is about.
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { householdOf, isAddress, isPublic } from '#platform/ip.ts';
import type { World } from '#world/ctx.ts';
import { type Level, buckets } from './buckets.ts';
import type { Callers } from './callers.ts';

/** Who follows a link. `address` is null where it can only be that of a proxy in between. */
export type Visitor = { method: 'GET' | 'HEAD' | 'POST'; address: string | null; userAgent: string; isPrefetch: boolean };
export type Visit = Visitor & {
  token: string;
  /** Whether the visitor's address has lately called the API for this workspace. */
  isCaller(workspaceId: string): boolean;
};
export type Shown = { status: number; type: string; body: string | Buffer; headers?: Readonly<Record<string, string>> };
/** A link is data, like a route; `{token}` in its path is what it is about. */
export type PublicRoute = {
  methods: readonly ('GET' | 'POST')[];
  path: string;
  /** What whoever follows the link gets; null when the token is none of ours, whatever is wrong with it. */
  answer(world: World, visit: Visit): Promise<Shown | null>;
  otherwise: Shown;
};

const MOST_BYTES = 64 * 1024;
/** Tokens that are none of ours, of one address: a mail that was cut comes now and then, a search does not stop. Ours are not counted. */
const GUESSES = { perSecond: 2, burst: 60 };

/** Mount them. */
export function mountPublic(app: FastifyInstance, world: World, routes: readonly PublicRoute[], callers: Callers): void {
  const guess = buckets({ clock: world.clock, ...GUESSES });
  for (const { methods, path, answer, otherwise } of routes) {
    app.route({
      method: [...methods],
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      bodyLimit: MOST_BYTES,
      errorHandler: (error, req, reply) => {
        const isTooLarge = error.statusCode === 413;
        if (!isTooLarge) world.log.error({ err: error, request_id: req.id, method: req.method }, 'a link of a mail could not be followed');
        void say(reply, otherwise.status === 200 ? otherwise : isTooLarge ? TOO_LARGE : TROUBLE);
      },
      handler: async (req, reply) => {
        const { token } = req.params as { token: string };
        const visitor = visitorOf(req);
        const isCaller = (workspaceId: string) => visitor.address !== null && callers.has(workspaceId, visitor.address);
        const shown = await answer(world, { ...visitor, token, isCaller });
        return say(reply, shown ?? refused(otherwise, guess(householdOf(req.ip))));
      },
    });
  }
}

function refused(otherwise: Shown, { retryAfter }: Level): Shown {
  // A picture says nothing in any case.
  if (retryAfter === undefined || otherwise.status === 200) return otherwise;
  return { ...BUSY, headers: { ...BUSY.headers, 'retry-after': String(retryAfter) } };
}

const say = (reply: FastifyReply, { status, type, body, headers = {} }: Shown) =>
  reply.code(status).headers({ 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex', ...headers }).type(type).send(body); // prettier-ignore

function visitorOf(req: FastifyRequest): Visitor {
  const header = (name: string) => String(req.headers[name] ?? '');
  const purpose = `${header('sec-purpose')} ${header('purpose')} ${header('x-purpose')} ${header('x-moz')}`;
  return {
    method: req.method as Visitor['method'],
    address: addressOf(req),
    userAgent: header('user-agent').slice(0, 500),
    isPrefetch: /\bpre(?:fetch|view|render)/i.test(purpose),
  };
}

const PROXIED = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip'];

/** Where a request comes from; null where it has gone through a proxy that nobody told us to trust, or comes from a net without a name of its own. */
export function addressOf(req: FastifyRequest): string | null {
  const isTold = req.ips !== undefined && req.ips.length > 1;
  if (!isTold && PROXIED.some((name) => req.headers[name] !== undefined)) return null;
  return isAddress(req.ip) && isPublic(req.ip) ? req.ip : null;
}

/** A page that runs no script and loads nothing. Everything is shown as text; `button` posts to the same address. */
export function pageOf({ status, title, text, button }: { status: number; title: string; text: readonly string[]; button?: string }): Shown {
  const said = text.map((one) => `<p>${escaped(one)}</p>`).join('\n');
  const form = button === undefined ? '' : `\n<form method="post"><button type="submit">${escaped(button)}</button></form>`;
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escaped(title)}</h1>
${said}${form}
</main></body></html>
`;
  return { status, type: 'text/html; charset=utf-8', body, headers: { 'content-security-policy': POLICY, 'x-frame-options': 'DENY' } };
}

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);

const STYLE = `:root{color-scheme:light dark}*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;font:1.0625rem/1.55 system-ui,sans-serif}
body{background:#f4f4f2;color:#1c1c1a}
main{width:100%;max-width:30rem;padding:2.25rem;background:#fff;border:1px solid #dededa;border-radius:.75rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .75rem}p{margin:0 0 .75rem;overflow-wrap:anywhere}p:last-child{margin:0}
button{font:inherit;font-weight:600;min-height:3rem;width:100%;margin-top:.75rem;padding:.6rem 1.25rem;border:0;border-radius:.5rem;
background:#1c1c1a;color:#fff;cursor:pointer}button:hover{background:#3a3a37}button:focus-visible{outline:3px solid #2f6fde;outline-offset:3px}
@media(max-width:30rem){body{padding:1rem}main{padding:1.5rem}}
@media(prefers-color-scheme:dark){body{background:#161615;color:#ececea}main{background:#212120;border-color:#3a3a38}
button{background:#ececea;color:#161615}button:hover{background:#fff}}`;

const hashOfStyle = createHash('sha256').update(STYLE).digest('base64');
const POLICY = `default-src 'none'; style-src 'sha256-${hashOfStyle}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
const TOO_LARGE = pageOf({ status: 413, title: 'That was too much', text: ['A form with nothing in it is enough.'] });
const TROUBLE = pageOf({ status: 503, title: 'Something went wrong here', text: ['Nothing has been changed. Try again in a minute.'] });
const BUSY = pageOf({ status: 429, title: 'Too many attempts', text: ['Try again in a minute.'] });
