// The part of the description that tells what the service calls: one webhook per event type.
import { z } from 'zod';
import { exampleOf } from './example.ts';

/** `shows`: the component that `data` is; `adds`: keys that are merged into it. */
export type EventMeaning = { says: string; shows: string; adds?: Readonly<Record<string, z.ZodType>> };

type Json = Record<string, unknown>;

const PAYLOAD = {
  id: { type: 'string', description: 'The event. The same in every attempt: use it to pass over what you have seen.' },
  object: { type: 'string', const: 'event' },
  type: { type: 'string' },
  mode: { type: 'string', enum: ['live', 'test'] },
  resource_id: { type: 'string', description: 'The resource that it happened to.' },
  sequence: {
    type: ['integer', 'null'],
    description: 'Counts the events of the workspace and mode without a gap; null for verifications and tests, which stand in no log.',
  },
  created_at: { type: 'string', format: 'date-time' },
  workspace_id: { type: 'string' },
  data: { type: 'object', description: 'The resource as its GET showed it at that moment.' },
  metadata: { type: ['object', 'null'], description: 'The metadata of the originating send.' },
  previous: { type: ['object', 'null'], description: 'The values before of what has changed, on updates.' },
};

const HEADERS = [
  [
    'Service-Signature',
    't=<unix seconds>,v1=<hex>: HMAC-SHA256 with the endpoint secret over `<t>.<raw body>`; after a rotation two v1 for 24 hours.',
  ],
  ['Service-Event-Id', 'The event; the same in every attempt.'],
  ['Service-Event-Type', 'The type of the event.'],
  ['Service-Delivery-Id', 'The delivery.'],
  ['Service-Delivery-Attempt', 'The number of the attempt, from 1.'],
] as const;

const TAKEN = 'Taken. Anything else, a redirect or 15 seconds without an answer, is tried again after 1, 5 and 30 minutes, 2, 8 and 24 hours.';
const ANSWERS = { '2XX': { description: TAKEN }, '4XX': { description: 'Refused; tried again in the same way.' } };

/** The `webhooks` member and the components that it names; `components` are those that there are already. */
export function webhooksOf(events: Readonly<Record<string, EventMeaning>>, components: ReadonlySet<string>): { webhooks: Json; schemas: Json } {
  const types = Object.keys(events).sort();
  if (types.length === 0) return { webhooks: {}, schemas: {} };
  const calls = types.map((type) => [type, { post: call(type, events[type]!, components) }]);
  const verification = ['webhook.verification', { post: call('webhook.verification', VERIFICATION, components) }];
  const required = Object.keys(PAYLOAD);
  const schemas = { WebhookEvent: { type: 'object', properties: PAYLOAD, required, description: 'What an endpoint is sent.' } };
  return { webhooks: { webhooks: Object.fromEntries([...calls, verification]) }, schemas };
}

const VERIFICATION: EventMeaning = {
  says: 'Sent to an endpoint that is new or has a new address. Any 2xx verifies it; until then it is sent nothing else. Not part of the event log.',
  shows: '',
  adds: { webhook_id: z.string().meta({ example: 'whk_01k3zq6v9efxt8h5m2r7wbnycd' }), url: z.string(), challenge: z.string() },
};

function call(type: string, { says, shows, adds }: EventMeaning, components: ReadonlySet<string>): Json {
  const parts = [...(components.has(shows) ? [{ $ref: `#/components/schemas/${shows}` }] : []), ...(adds ? [schemaOf(adds)] : [])];
  const data = parts.length === 0 ? {} : { data: parts.length === 1 ? parts[0] : { allOf: parts } };
  const schema = {
    allOf: [{ $ref: '#/components/schemas/WebhookEvent' }, { type: 'object', properties: { type: { type: 'string', const: type }, ...data } }],
  };
  return {
    operationId: `on_${type}`.replaceAll(/[._]([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
    summary: type,
    description: says,
    tags: ['Events'],
    parameters: HEADERS.map(([name, description]) => ({ name, in: 'header', description, required: true, schema: { type: 'string' } })),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: ANSWERS,
    security: [],
  };
}

function schemaOf(adds: Readonly<Record<string, z.ZodType>>): Json {
  const shape = z.object(adds);
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input' }) as Json;
  return { ...schema, examples: [exampleOf(shape)] };
}
