// The machine-readable description, made from the same routes that are mounted.
import { z } from 'zod';
import { type ZodOpenApiObject, type ZodOpenApiOperationObject, createDocument } from 'zod-openapi';
import type { RefusalCode } from '#platform/refusal.ts';
import { exampleOf } from './example.ts';
import { ANSWER_HEADERS, describeHeaders } from './openapi-headers.ts';
import { type EventMeaning, webhooksOf } from './openapi-webhooks.ts';
import { descriptionOf, operationIdOf, tagOf } from './operation-id.ts';
import { ERROR_TYPES, PROBLEMS } from './problems.ts';
import { REMEDIES } from './remedies.ts';
import type { Route } from './route.ts';

/** What the routes do not tell of themselves: what each noun is, by its tag, and what each event means. */
export type About = { readonly tags: Readonly<Record<string, string>>; readonly events: Readonly<Record<string, EventMeaning>> };
export type DocumentMeans = { version: string; baseUrl: string; about?: About | undefined };

const INTRODUCTION = `Self-hosted cold-email outreach: inboxes, contacts, sequences, campaigns, sends and their answers.

Every call carries \`Authorization: Bearer <key>\`. A test key lives in a simulated world: nothing that it does reaches a mail server. Every
mutation may carry an \`Idempotency-Key\`. Lists are paged with \`limit\`, \`starting_after\` and \`ending_before\`. A refusal is
\`{error: {type, code, message, param?, request_id, doc_url}}\`; unknown fields are refused. Times are RFC 3339 in UTC.

Every answer, a refusal too, carries \`Request-Id\`, \`Service-Version\`, \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`;
one that a key has kept, also a kept refusal, \`Idempotent-Replayed: true\`.`;

/** The body of every refusal. */
export const ErrorEnvelope = z
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
export function openApiDocument(routes: readonly Route[], { version, baseUrl, about }: DocumentMeans): object {
  const paths: NonNullable<ZodOpenApiObject['paths']> = {};
  for (const path of [...new Set(routes.map((route) => route.path))].sort()) {
    const here = METHODS.flatMap((method) => routes.find((route) => route.path === path && route.method === method) ?? []);
    paths[path] = Object.fromEntries(here.map((route) => [route.method.toLowerCase(), operation(route, baseUrl)]));
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Postrider',
        version,
        description: INTRODUCTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl }],
      security: [{ bearer: [] }],
      tags: [...new Set(routes.map(tagOf))].sort().map((name) => ({ name, ...(about?.tags[name] && { description: about.tags[name] }) })),
      paths,
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key: svc_live_… or svc_test_….' } },
        schemas: { Error: ErrorEnvelope },
      },
    },
    { override: openAnswers },
  );
  describeHeaders((document.paths ?? {}) as Parameters<typeof describeHeaders>[0]);
  const known = document.components?.schemas ?? {};
  const { webhooks, schemas: ofWebhooks } = webhooksOf(about?.events ?? {}, new Set(Object.keys(known)));
  const schemas = Object.entries({ ...known, ...ofWebhooks }).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...document, ...webhooks, components: { ...document.components, headers: ANSWER_HEADERS, schemas: Object.fromEntries(schemas) } };
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

function operation(route: Route, baseUrl: string): ZodOpenApiOperationObject {
  const { spec } = route;
  const query = spec.query instanceof z.ZodObject ? spec.query : undefined;
  const asksConfirm = spec.confirm !== undefined && !(query && 'confirm' in query.shape);
  const parameters = [...(asksConfirm ? [confirmParameter(spec.confirm)] : []), ...(route.method === 'GET' ? [] : [KEY_PARAMETER])];
  const replies = Object.entries(spec.reply).map(([status, schema]) => [
    status,
    { description: SAID[Number(status) as keyof typeof SAID], content: { [JSON_TYPE]: { schema, example: exampleOf(schema, 'out') } } },
  ]);
  return {
    operationId: operationIdOf(route),
    summary: spec.summary,
    description: descriptionOf(route),
    tags: [tagOf(route)],
    'x-scope': spec.scope,
    requestParams: { ...(spec.params instanceof z.ZodObject ? { path: spec.params } : {}), ...(query ? { query } : {}) },
    ...(parameters.length > 0 ? { parameters } : {}),
    ...bodyOf(route),
    responses: { ...Object.fromEntries(replies), ...refusalsOf(route, baseUrl) },
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

const CSV = 'email,first_name\nann@example.com,Ann\n';

function bodyOf({ spec }: Route): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (spec.upload) {
    const fields = spec.body instanceof z.ZodObject ? spec.body : z.looseObject({});
    const form = fields.safeExtend({ file: z.string().meta({ format: 'binary', example: CSV }) });
    const json = fields.safeExtend({ csv: z.string().meta({ description: 'The text of the file.', example: CSV }) });
    const content = {
      'multipart/form-data': { schema: form, example: exampleOf(form) },
      'text/csv': { schema: { type: 'string', description: 'The file itself; its fields stand in the query.' } as const, example: CSV },
      [JSON_TYPE]: { schema: json, example: exampleOf(json) },
    };
    return { requestBody: { required: true, content } };
  }
  if (!spec.body) return {};
  const media = { schema: spec.body, example: exampleOf(spec.body) };
  return { requestBody: { required: !spec.body.safeParse({}).success, content: { [JSON_TYPE]: media } } };
}

/** The fields of a body, however deep, with their names. */
function fieldsOf(schema: z.ZodType): [string, z.ZodType][] {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  const { innerType, in: input, element, options = [], shape = {} } = def as {
    innerType?: z.ZodType; in?: z.ZodType; element?: z.ZodType; options?: z.ZodType[]; shape?: Record<string, z.ZodType>;
  }; // prettier-ignore
  const below = [innerType, input, element, ...options].filter((one) => one !== undefined);
  const named = Object.entries(shape).flatMap(([name, field]) => [[name, field] as [string, z.ZodType], ...fieldsOf(field)]);
  return [['', schema], ...below.flatMap(fieldsOf), ...named];
}

/** Every refusal that a call of this route may get. */
export function codesOf({ method, spec }: Route): RefusalCode[] {
  const codes = new Set<RefusalCode>([...ALWAYS, ...(spec.refusals ?? [])]);
  const fields = spec.body ? fieldsOf(spec.body) : [];
  if (spec.params || fields.some(([name]) => /_ids?$/.test(name))) codes.add('resource_missing');
  if (fields.some(([, field]) => field.meta()?.['format'] === 'email')) codes.add('invalid_email');
  if (spec.query instanceof z.ZodObject && 'starting_after' in spec.query.shape) codes.add('invalid_cursor');
  if (spec.confirm) codes.add('confirmation_required');
  if (method !== 'GET') for (const code of OF_BODIES) codes.add(code);
  if (method !== 'GET') codes.add('idempotency_key_reused').add('idempotency_in_progress');
  if (spec.secret) codes.add('idempotency_replay_unavailable');
  return [...codes].sort();
}

/** The answers that say no, by status. */
function refusalsOf(route: Route, baseUrl: string): Record<string, object> {
  const codes = codesOf(route);
  const byStatus: Record<string, object> = {};
  for (const status of [...new Set(codes.map((code) => PROBLEMS[code][0]))].sort((a, b) => a - b)) {
    const here = codes.filter((code) => PROBLEMS[code][0] === status);
    const examples = here.map((code) => [code, { value: errorExample(code, baseUrl) }]);
    byStatus[status] = {
      description: here.map((code) => `\`${code}\`: ${REMEDIES[code].cause}`).join('\n\n'),
      'x-codes': here,
      content: { [JSON_TYPE]: { schema: ErrorEnvelope, examples: Object.fromEntries(examples) } },
    };
  }
  return byStatus;
}

function errorExample(code: RefusalCode, baseUrl: string): object {
  const [, type] = PROBLEMS[code];
  const request_id = 'req_01k3zq6v9efxt8h5m2r7wbnycd';
  return { error: { type, code, message: REMEDIES[code].cause, request_id, doc_url: `${baseUrl}/docs/errors/${code}` } };
}
