// Every answer that a test gets is held against the description: its status, its codes, each field and no other. On in every house and desk.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { about } from '#resources/about.ts';
import type { RefusalCode } from '#platform/refusal.ts';
import { ErrorEnvelope, codesOf } from '#web/openapi.ts';
import { operationIdOf } from '#web/operation-id.ts';
import { PROBLEMS } from '#web/problems.ts';
import type { Route } from '#web/route.ts';
import { filledFields, namedSchemas } from './fields.ts';

/** What the tests have seen, as it is gathered over all files: see server/tools/uncovered.ts. */
export type Seen = { operations: string[]; fields: string[]; codes: string[] };

export type Watch = {
  /** The SDK has called this operation. */
  calledBySdk(method: string, url: string): void;
  /** Throws what did not agree with the description; hands what was seen to the run. */
  close(): void;
};

const MOST_FAULTS = 5;
let files = 0;

/** `madeUpEvents`: the test tells events of its own invention, whose data is no resource. */
export function watchAnswers(app: FastifyInstance, routes: readonly Route[], { madeUpEvents = false } = {}): Watch {
  const byUrl = new Map(routes.map((route) => [`${route.method} ${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`, route]));
  const seen = { operations: new Set<string>(), fields: new Set<string>(), codes: new Set<string>() };
  const schemas = new Map(routes.flatMap(({ spec }) => Object.values(spec.reply).flatMap((one) => [...namedSchemas(one)])));
  const faults: string[] = [];
  app.addHook('onSend', async (req, reply, payload) => {
    const url = req.routeOptions.url ?? '';
    // An answer to HEAD has no body of its own.
    if (typeof payload !== 'string' || req.method === 'HEAD' || !req.url.startsWith('/v1/') || url === '/v1/health') return;
    const route = byUrl.get(`${req.method} ${url}`);
    const fault = faultOf(route, req, reply, payload) ?? (madeUpEvents || !route ? undefined : eventFault(schemas, payload));
    if (fault !== undefined) faults.push(`${req.method} ${req.url.slice(0, 200)} → ${reply.statusCode}: ${fault}`);
    else note(seen, route, reply.statusCode, payload);
  });
  return {
    calledBySdk(method, url) {
      const path = new URL(url).pathname;
      const route = routes.find((one) => one.method === method && patternOf(one.path).test(path));
      if (route) seen.operations.add(operationIdOf(route));
    },
    close() {
      hand({ operations: [...seen.operations], fields: [...seen.fields], codes: [...seen.codes] });
      if (faults.length > 0) throw new Error(`Answers that the description does not know:\n${[...new Set(faults)].slice(0, MOST_FAULTS).join('\n')}`);
    },
  };
}

const patternOf = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

const HEADS = ['request-id', 'service-version', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

/** What an answer has that its route does not declare, or the other way round. */
function faultOf(route: Route | undefined, req: FastifyRequest, reply: FastifyReply, payload: string): string | undefined {
  const status = reply.statusCode;
  const body: unknown = JSON.parse(payload);
  if (!String(reply.getHeader('content-type')).startsWith('application/json')) return 'it is not called JSON.';
  for (const name of HEADS) if (reply.getHeader(name) === undefined) return `it has no ${name}.`;
  if (status < 300) {
    const schema = (route?.spec.reply as Record<number, z.ZodType> | undefined)?.[status];
    return schema ? strictFault(schema, body) : 'this status is not declared.';
  }
  const shape = strictFault(ErrorEnvelope, body);
  if (shape !== undefined) return shape;
  const { error } = body as z.output<typeof ErrorEnvelope>;
  const code: RefusalCode = error.code;
  if (!isDeepStrictEqual([status, error.type], [...PROBLEMS[code]])) return `${code} is not of this status and type.`;
  // A kept refusal comes back as it was said the first time.
  const isReplay = reply.getHeader('idempotent-replayed') === 'true';
  if (!isReplay && error.request_id !== req.id) return 'the request id is another than the header says.';
  if (route && !codesOf(route).includes(code)) return `${code} is not declared: name it in the refusals of the route.`;
  return undefined;
}

/** Zod leaves out what a schema does not know: what comes back smaller had a field too many. */
function strictFault(schema: z.ZodType, body: unknown): string | undefined {
  const result = schema.safeParse(body);
  if (!result.success) return result.error.issues.map((one) => `${one.path.join('.')}: ${one.message}`).join('; ');
  return isDeepStrictEqual(result.data, body) ? undefined : `undeclared: ${differences(result.data, body).join(', ')}`;
}

function differences(known: unknown, body: unknown, path = ''): string[] {
  if (isDeepStrictEqual(known, body)) return [];
  if (typeof body !== 'object' || body === null || typeof known !== 'object' || known === null) return [path];
  return Object.keys(body).flatMap((key) =>
    differences((known as Record<string, unknown>)[key], (body as Record<string, unknown>)[key], path === '' ? key : `${path}.${key}`),
  );
}

type EventLike = { object: 'event'; type: keyof typeof about.events; data: unknown };
const isEvent = (value: unknown): value is EventLike => typeof value === 'object' && value !== null && 'object' in value && value.object === 'event';

/** `data` of an event is the resource as its GET shows it, with the keys that the catalogue adds. */
function eventFault(schemas: ReadonlyMap<string, z.ZodType>, payload: string): string | undefined {
  const body = JSON.parse(payload) as { data?: unknown };
  const events = [body, ...(Array.isArray(body.data) ? (body.data as unknown[]) : [])].filter(isEvent);
  for (const { type, data } of events) {
    const meaning: { shows: string; adds?: Readonly<Record<string, z.ZodType>> } = about.events[type];
    const shown = schemas.get(meaning.shows);
    if (!(shown instanceof z.ZodObject)) continue;
    const fault = strictFault(shown.extend(meaning.adds ?? {}), data);
    if (fault !== undefined) return `data of ${type}: ${fault}`;
  }
  return undefined;
}

type Gathered = { [K in keyof Seen]: Set<string> };

/** Codes count wherever they stand: in the envelope, and in the rows of batches and imports. */
function note(seen: Gathered, route: Route | undefined, status: number, payload: string): void {
  for (const [, code = ''] of payload.matchAll(/"code":"([a-z_]+)"/g)) seen.codes.add(code);
  const schema = (route?.spec.reply as Record<number, z.ZodType> | undefined)?.[status];
  if (route && schema) filledFields(schema, JSON.parse(payload), operationIdOf(route), seen.fields);
}

/** A run over all tests names a folder; each house leaves a file there. */
function hand(seen: Seen): void {
  const folder = process.env['SEEN_FOLDER'];
  if (folder) writeFileSync(join(folder, `${process.pid}-${++files}.json`), JSON.stringify(seen));
}
