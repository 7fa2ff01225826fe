// The machine-readable description, made from the same routes that are mounted.
import { z } from 'zod';
import { type ZodOpenApiObject, type ZodOpenApiOperationObject, createDocument } from 'zod-openapi';
import type { RefusalCode } from '#platform/refusal.ts';
import { operationIdOf, tagOf } from './operation-id.ts';
import { ERROR_TYPES, PROBLEMS } from './problems.ts';
import type { Route } from './route.ts';

const ErrorEnvelope = z
  .object({
    error: z.object({
      type: z.enum(ERROR_TYPES),
      code: z.enum(Object.keys(PROBLEMS) as [RefusalCode, ...RefusalCode[]]),
      message: z.string().meta({ description: 'For people; it may change.' }),
      param: z.string().optional().meta({ description: 'The field at fault, as a path.', example: 'contacts[3].email' }),
      resource_id: z.string().optional().meta({ description: 'The object that the refusal is about.' }),
      problems: z.array(z.record(z.string(), z.unknown())).optional().meta({ description: 'Every fault, where there are several.' }),
      request_id: z.string().optional(),
      doc_url: z.url().optional(),
    }),
  })
  .meta({ id: 'Error' });

const ALWAYS: RefusalCode[] = [
  'invalid_api_key',
  'insufficient_scope',
  'invalid_parameter',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
];
const OF_BODIES: RefusalCode[] = [
  'invalid_json', 'unsupported_media_type', 'payload_too_large', 'parameter_missing', 'unknown_parameter', 'validation_failed',
]; // prettier-ignore
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const SAID = { 200: 'Done.', 201: 'Created.', 202: 'Accepted.' } as const;
const JSON_TYPE = 'application/json';

/** The OpenAPI 3.1 document of `routes`, in an order that does not depend on theirs. */
export function openApiDocument(routes: readonly Route[], { version, baseUrl }: { version: string; baseUrl: string }): object {
  const paths: NonNullable<ZodOpenApiObject['paths']> = {};
  for (const path of [...new Set(routes.map((route) => route.path))].sort()) {
    const here = METHODS.flatMap((method) => routes.find((route) => route.path === path && route.method === method) ?? []);
    paths[path] = Object.fromEntries(here.map((route) => [route.method.toLowerCase(), operation(route)]));
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Postrider',
        version,
        description: 'Self-hosted cold-email outreach.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl }],
      security: [{ bearer: [] }],
      tags: [...new Set(routes.map(tagOf))].sort().map((name) => ({ name })),
      paths,
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key: svc_live_… or svc_test_….' } },
        schemas: { Error: ErrorEnvelope },
      },
    },
    { override: openAnswers },
  );
  const schemas = Object.entries(document.components?.schemas ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } };
}

/** An answer may gain fields; a caller's checker must not trip over them. This also makes one component serve both directions. */
function openAnswers({
  jsonSchema,
  zodSchema,
  io,
}: {
  jsonSchema: { additionalProperties?: unknown };
  zodSchema: z.core.$ZodType;
  io: string;
}): void {
  const def = (zodSchema as z.core.$ZodTypes)._zod.def;
  if (io === 'output' && def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
}

function operation(route: Route): ZodOpenApiOperationObject {
  const { spec } = route;
  const query = spec.query instanceof z.ZodObject ? spec.query : undefined;
  const asksConfirm = spec.confirm !== undefined && !(query && 'confirm' in query.shape);
  const parameters = [...(asksConfirm ? [confirmParameter(spec.confirm)] : []), ...(route.method === 'GET' ? [] : [KEY_PARAMETER])];
  const replies = Object.entries(spec.reply).map(([status, schema]) => [
    status,
    { description: SAID[Number(status) as keyof typeof SAID], content: { [JSON_TYPE]: { schema } } },
  ]);
  return {
    operationId: operationIdOf(route),
    summary: spec.summary,
    tags: [tagOf(route)],
    'x-scope': spec.scope,
    requestParams: { ...(spec.params instanceof z.ZodObject ? { path: spec.params } : {}), ...(query ? { query } : {}) },
    ...(parameters.length > 0 ? { parameters } : {}),
    ...bodyOf(route),
    responses: { ...Object.fromEntries(replies), ...refusalsOf(route) },
  };
}

const KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Repeating a call with its key within 24 hours repeats its answer, not its effect.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const;

const confirmParameter = (when: true | 'at times' | undefined) =>
  ({
    name: 'confirm',
    in: 'query',
    description: `Must be \`true\`${when === 'at times' ? ' where the call cannot be undone' : ''}, unless the key confirms by itself.`,
    schema: { type: 'string', const: 'true' },
  }) as const;

function bodyOf({ spec }: Route): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (spec.upload) {
    const fields = spec.body instanceof z.ZodObject ? spec.body : z.looseObject({});
    const content = {
      'multipart/form-data': { schema: fields.safeExtend({ file: z.string().meta({ format: 'binary' }) }) },
      'text/csv': { schema: { type: 'string', description: 'The file itself; its fields stand in the query.' } as const },
      [JSON_TYPE]: { schema: fields.safeExtend({ csv: z.string().meta({ description: 'The text of the file.' }) }) },
    };
    return { requestBody: { required: true, content } };
  }
  if (!spec.body) return {};
  return { requestBody: { required: !spec.body.safeParse({}).success, content: { [JSON_TYPE]: { schema: spec.body } } } };
}

/** Every refusal that a call of this route may get, by status. */
function refusalsOf({ method, spec }: Route): Record<string, object> {
  const codes = new Set<RefusalCode>([...ALWAYS, ...(spec.refusals ?? [])]);
  if (spec.params) codes.add('resource_missing');
  if (spec.query instanceof z.ZodObject && 'starting_after' in spec.query.shape) codes.add('invalid_cursor');
  if (spec.confirm) codes.add('confirmation_required');
  if (spec.body || spec.upload) for (const code of OF_BODIES) codes.add(code);
  if (method !== 'GET') codes.add('idempotency_key_reused').add('idempotency_in_progress');
  if (spec.secret) codes.add('idempotency_replay_unavailable');
  const byStatus: Record<string, object> = {};
  for (const status of [...new Set([...codes].map((code) => PROBLEMS[code][0]))].sort((a, b) => a - b)) {
    const here = [...codes].filter((code) => PROBLEMS[code][0] === status).sort();
    byStatus[status] = {
      description: here.map((code) => `\`${code}\``).join(', '),
      'x-codes': here,
      content: { [JSON_TYPE]: { schema: ErrorEnvelope } },
    };
  }
  return byStatus;
}
