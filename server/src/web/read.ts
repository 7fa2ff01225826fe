import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { World } from '#world/ctx.ts';
import { requireConfirmation } from './confirm.ts';
import { hashOf, keyOf } from './idempotency.ts';
import { jsonOf } from './json-body.ts';
import type { Job } from './perform.ts';
import type { Route, Spec } from './route.ts';
import { isRawCsv, uploadOf } from './upload.ts';
import { bodyOf, paramsOf, queryOf } from './validate.ts';

/** The call that a request of an admitted principal makes. Throws the refusal of whatever does not fit: path, key, query, confirmation, body. */
export async function readJob(world: World, route: Route, req: FastifyRequest): Promise<Job> {
  const { spec } = route;
  const principal = req.principal;
  if (!principal) throw new Error('A request got past the door without a principal.');
  const { workspaceId, mode, scope, apiKeyId, autoConfirm } = principal;
  const params = paramsOf(spec.params, req.params);
  const key = route.method === 'GET' ? undefined : keyOf(req.headers['idempotency-key']);
  const { mine, beside, confirm } = sorted(spec, req);
  const query = queryOf(spec.query, mine);
  const ctx = { ...world, workspaceId, mode, scope, now: world.clock.now(), apiKeyId, confirmed: confirm === 'true' || autoConfirm };
  if (spec.confirm === true) requireConfirmation(ctx);
  const raw = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
  const upload = spec.upload && (await uploadOf(req, raw, beside));
  const body = upload
    ? spec.body && bodyOf(spec.body, upload.fields)
    : route.method === 'GET'
      ? undefined
      : bodyOf(spec.body, jsonOf(raw, req.headers['content-type']));
  const input = { params, query, body, upload, prepared: undefined };
  const claim =
    key === undefined
      ? undefined
      : { workspaceId, mode, key, method: route.method, path: req.url, bodyHash: hashOf(upload ?? raw), secret: spec.secret === true };
  return { ctx, input, requestId: req.id, claim };
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
