import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Refusal } from '#platform/refusal.ts';
import { forTenant } from '#store/tenant.ts';
import type { Ctx, World } from '#world/ctx.ts';
import { workspaceNow } from '#world/workspace-time.ts';
import { requireConfirmation } from './confirm.ts';
import { type Claim, hashOf, keyOf } from './idempotency.ts';
import { jsonOf } from './json-body.ts';
import type { Job } from './perform.ts';
import type { Route, Spec, Upload } from './route.ts';
import { isRawCsv, uploadOf } from './upload.ts';
import { bodyOf, paramsOf, queryOf } from './validate.ts';

/** A call that does not fit. Its claim, where it has one, keeps the refusal. */
export type Misfit = { ctx: Ctx; requestId: string; claim: Claim | undefined; refusal: Refusal };

/** Keys are used by real programs: they live in real time, however far a test clock was moved. */
const OF_THE_MACHINES = /^\/v1\/api_keys(?:\/|$)/;

/** The call that a request of an admitted principal makes, or what does not fit in it: path, query, confirmation, body. Throws for a bad key. */
export async function readJob(world: World, route: Route, req: FastifyRequest): Promise<Job | Misfit> {
  const principal = req.principal;
  if (!principal) throw new Error('A request got past the door without a principal.');
  const { workspaceId, mode, scope, apiKeyId, autoConfirm } = principal;
  const key = route.method === 'GET' ? undefined : keyOf(req.headers['idempotency-key']);
  const { mine, beside, confirm } = sorted(route.spec, req);
  const db = forTenant(world.db, workspaceId, mode);
  const now = OF_THE_MACHINES.test(route.path) ? world.clock.now() : await workspaceNow(world, workspaceId, mode);
  const ctx = { ...world, db, workspaceId, mode, scope, now, apiKeyId, confirmed: confirm === 'true' || autoConfirm };
  const raw = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
  const claimOf = (body: Buffer | Upload): Claim | undefined =>
    key === undefined
      ? undefined
      : { workspaceId, mode, key, method: route.method, path: req.url, bodyHash: hashOf(body), secret: route.spec.secret === true };
  let upload: Upload | undefined;
  try {
    const params = paramsOf(route.spec.params, req.params);
    const query = queryOf(route.spec.query, mine);
    if (route.spec.confirm === true) requireConfirmation(ctx);
    upload = route.spec.upload && (await uploadOf(req, raw, beside));
    const input = { params, query, body: bodyIn(route, req, raw, upload), upload, prepared: undefined, key };
    return { ctx, input, requestId: req.id, claim: claimOf(upload ?? raw) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // A form that could not be read whole has no content that a second call could be held against.
    const unread = route.spec.upload && !upload && !Buffer.isBuffer(req.body);
    return { ctx, requestId: req.id, claim: unread ? undefined : claimOf(upload ?? raw), refusal: error };
  }
}

function bodyIn({ method, spec }: Route, req: FastifyRequest, raw: Buffer, upload: Upload | undefined): unknown {
  if (upload) return spec.body && bodyOf(spec.body, upload.fields);
  return method === 'GET' ? undefined : bodyOf(spec.body, jsonOf(raw, req.headers['content-type']));
}

type Query = Record<string, unknown>;

/** The query, sorted: what the route's schema judges, what goes with a raw file as its fields, and the confirmation that needs no schema. */
function sorted(spec: Spec, req: FastifyRequest): { mine: Query; beside: Query; confirm: unknown } {
  const named = spec.query instanceof z.ZodObject ? spec.query.shape : {};
  const given = req.query as Query;
  const unnamed = ([name, value]: [string, unknown]) => !Object.hasOwn(named, name) && !Array.isArray(value);
  const confirms = (entry: [string, unknown]) => entry[0] === 'confirm' && spec.confirm !== undefined && unnamed(entry);
  const isField = (entry: [string, unknown]) => spec.upload === true && isRawCsv(req) && unnamed(entry);
  const others = Object.entries(given).filter((entry) => !confirms(entry));
  return {
    mine: Object.fromEntries(others.filter((entry) => !isField(entry))),
    beside: Object.fromEntries(others.filter(isField)),
    confirm: given['confirm'],
  };
}
