// For tests that go over every operation: a valid call of each. An operation that is added brings its line.
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { Route } from '#web/route.ts';

export type Operation = { method: Route['method']; url: string; body?: object };
type Params = Record<string, string>;
type Json = Record<string, unknown> & { id: string };

/** Makes what a call needs, in one workspace and mode. Whatever it makes is new. */
export type Hand = {
  /** Ask the API; throws unless it is done. */
  ask(line: string, body?: object): Promise<Json>;
  /** A new thing of this prefix. */
  make(prefix: string): Promise<string>;
  /** Another number each time. */
  next(): number;
};

type Valid = {
  /** Where a new thing of each parameter's prefix will not do. */
  params?: (hand: Hand) => Promise<Params>;
  body?: (hand: Hand, params: Params) => object | Promise<object>;
  /** Only keys of live mode may; test otherwise. */
  mode?: 'live' | 'test';
  /** What a valid call comes to, where that is a "no" in a world without mail servers. */
  says?: readonly [status: number, code: string];
};

const email = (hand: Hand) => `person${hand.next()}@example.com`;
const QUIET = { open_probability: 0, click_probability: 0, reply_probability: 0, bounce_probability: 0 };
const HOOK = 'https://hooks.example.com/postrider';
const newCampaign = async (hand: Hand) => ({ name: 'Made', sequence_id: await hand.make('seq'), sending_inbox_ids: [await hand.make('inb')] });
const STEP = { subject: 'Hello', body_text: 'Hello' };

/** How to make one of each thing, by the prefix of its id. */
const THINGS: Record<string, (hand: Hand) => Promise<string>> = {
  key: async (hand) => (await hand.ask('POST /v1/api_keys', { name: 'Made' })).id,
  con: async (hand) => (await hand.ask('POST /v1/contacts', { email: email(hand) })).id,
  imp: async (hand) => (await hand.ask('POST /v1/contact_imports', { csv: `email\n${email(hand)}\n` })).id,
  aud: async (hand) => (await hand.ask('POST /v1/audiences', { name: 'Made' })).id,
  sup: async (hand) => (await hand.ask('POST /v1/suppressions', { email: email(hand) })).id,
  seq: async (hand) => (await hand.ask('POST /v1/sequences', { name: 'Made', steps: [STEP, STEP] })).id,
  // Whose recipients do nothing: what a call brings about is the same each time.
  inb: async (hand) => (await hand.ask('POST /v1/inboxes/sandbox', { sandbox_config: QUIET })).id,
  cmp: async (hand) => {
    const { id } = await hand.ask('POST /v1/campaigns', await newCampaign(hand));
    await hand.ask(`POST /v1/campaigns/${id}/contacts`, { contact_ids: [await hand.make('con')] });
    return id;
  },
  snd: async (hand) =>
    (await hand.ask('POST /v1/sends', { to: email(hand), ...STEP, inbox_id: await hand.make('inb'), send_at: '2031-01-01T00:00:00Z' })).id,
  msg: async (hand) => {
    const inbox = await hand.make('inb');
    await hand.ask('POST /v1/sends', { to: email(hand), ...STEP, inbox_id: inbox });
    return first(await hand.ask(`GET /v1/messages?inbox_id=${inbox}`));
  },
  thr: async (hand) => {
    const inbox = await hand.make('inb');
    await hand.ask('POST /v1/sends', { to: email(hand), ...STEP, inbox_id: inbox });
    return first(await hand.ask(`GET /v1/threads?inbox_id=${inbox}`));
  },
  whk: async (hand) => (await hand.ask('POST /v1/webhooks', { url: HOOK, enabled_events: ['*'] })).id,
  evt: async (hand) => first(await hand.ask(`GET /v1/events?resource_id=${await hand.make('con')}`)),
};

const first = (list: Json) => (list['data'] as Json[])[0]!.id;

const runningCampaign = async (hand: Hand) => {
  const id = await hand.make('cmp');
  await hand.ask(`POST /v1/campaigns/${id}/start`);
  return id;
};
const pausedCampaign = async (hand: Hand) => {
  const id = await runningCampaign(hand);
  await hand.ask(`POST /v1/campaigns/${id}/pause`);
  return id;
};
const stepIds = async (hand: Hand, { id }: Params) => ((await hand.ask(`GET /v1/sequences/${id}`))['steps'] as Json[]).map((one) => one.id);
const ofSequence = async (hand: Hand) => {
  const id = await hand.make('seq');
  return { id, step_id: (await stepIds(hand, { id }))[0]! };
};
const campaignStepIds = async (hand: Hand, { id }: Params) =>
  ((await hand.ask(`GET /v1/campaigns/${id}`))['sequence_steps'] as Json[]).map((one) => one.id);
/** A draft that nobody has begun, and its first step. */
const ofCampaign = async (hand: Hand) => {
  const id = await hand.make('cmp');
  return { id, step_id: (await campaignStepIds(hand, { id }))[0]! };
};
const ofThread = async (hand: Hand) => ({ id: await hand.make('thr') });
const delivery = async (hand: Hand) => {
  const id = await hand.make('whk');
  return { id, delivery_id: (await hand.ask(`POST /v1/webhooks/${id}/test`)).id };
};
const server = { host: '127.0.0.1', port: 1, security: 'starttls', username: 'u', password: 'p' };

/** The mutations. One without a line fails the tests that go over all operations; an empty line is a call without a body. */
const MUTATIONS: Record<string, Valid> = {
  'POST /v1/api_keys': { body: () => ({ name: 'Made' }) },
  'DELETE /v1/api_keys/{id}': {},
  'POST /v1/api_keys/{id}/rotate': {},
  'POST /v1/contacts': { body: (hand) => ({ email: email(hand) }) },
  'POST /v1/contacts/batch': { body: (hand) => ({ contacts: [{ email: email(hand) }] }) },
  'PATCH /v1/contacts/{id}': { body: () => ({ attributes: { town: 'Ulm' } }) },
  'DELETE /v1/contacts/{id}': {},
  'POST /v1/contacts/{id}/lead_status': { body: () => ({ lead_status: 'interested' }) },
  'POST /v1/contact_imports': { body: (hand) => ({ csv: `email\n${email(hand)}\n` }) },
  'POST /v1/audiences': { body: () => ({ name: 'Made' }) },
  'PATCH /v1/audiences/{id}': { body: () => ({ name: 'Renamed' }) },
  'DELETE /v1/audiences/{id}': {},
  'POST /v1/audiences/{id}/contacts': { body: async (hand) => ({ contact_ids: [await hand.make('con')] }) },
  'DELETE /v1/audiences/{id}/contacts/{contact_id}': {
    params: async (hand) => {
      const [id, contact] = [await hand.make('aud'), await hand.make('con')];
      await hand.ask(`POST /v1/audiences/${id}/contacts`, { contact_ids: [contact] });
      return { id, contact_id: contact };
    },
  },
  'POST /v1/suppressions': { body: (hand) => ({ email: email(hand) }) },
  'POST /v1/suppressions/batch': { body: (hand) => ({ suppressions: [{ email: email(hand) }] }) },
  'DELETE /v1/suppressions/{id}': {},
  'POST /v1/sequences': { body: () => ({ name: 'Made', steps: [STEP] }) },
  'PATCH /v1/sequences/{id}': { body: () => ({ name: 'Renamed' }) },
  'DELETE /v1/sequences/{id}': {},
  'POST /v1/sequences/{id}/steps': { body: () => STEP },
  'POST /v1/sequences/{id}/steps/reorder': { body: async (hand, params) => ({ step_ids: (await stepIds(hand, params)).toReversed() }) },
  'PATCH /v1/sequences/{id}/steps/{step_id}': { params: ofSequence, body: () => ({ subject: 'Other' }) },
  'DELETE /v1/sequences/{id}/steps/{step_id}': { params: ofSequence },
  'POST /v1/inboxes/smtp': {
    body: (hand) => ({ email_address: email(hand), smtp: server, imap: server }),
    mode: 'live',
    says: [422, 'inbox_connection_failed'],
  },
  'POST /v1/inboxes/sandbox': { body: () => ({}) },
  'POST /v1/inboxes/google/connect_link': { body: () => ({}), mode: 'live', says: [404, 'resource_missing'] },
  'POST /v1/inboxes/microsoft/connect_link': { body: () => ({}), mode: 'live', says: [404, 'resource_missing'] },
  'POST /v1/inboxes/mailprovider/connect_link': { body: () => ({}), mode: 'live', says: [404, 'resource_missing'] },
  'DELETE /v1/inboxes/{id}': {},
  'PATCH /v1/inboxes/{id}': { body: () => ({ daily_limit: 7 }) },
  'POST /v1/campaigns': { body: newCampaign },
  'PATCH /v1/campaigns/{id}': { body: () => ({ name: 'Renamed' }) },
  'DELETE /v1/campaigns/{id}': {},
  'POST /v1/campaigns/{id}/steps': { body: () => STEP },
  'POST /v1/campaigns/{id}/steps/reorder': { body: async (hand, params) => ({ step_ids: (await campaignStepIds(hand, params)).toReversed() }) },
  'PATCH /v1/campaigns/{id}/steps/{step_id}': { params: ofCampaign, body: () => ({ subject: 'Other' }) },
  'DELETE /v1/campaigns/{id}/steps/{step_id}': { params: ofCampaign },
  'POST /v1/campaigns/{id}/contacts/move': { body: async (hand) => ({ to_campaign_id: await hand.make('cmp'), status: 'active' }) },
  'POST /v1/campaigns/{id}/contacts': { body: async (hand) => ({ contact_ids: [await hand.make('con')] }) },
  'POST /v1/campaigns/{id}/start': {},
  'POST /v1/campaigns/{id}/pause': { params: async (hand) => ({ id: await runningCampaign(hand) }) },
  'POST /v1/campaigns/{id}/resume': { params: async (hand) => ({ id: await pausedCampaign(hand) }) },
  'POST /v1/campaigns/{id}/test_send': { body: (hand) => ({ to: email(hand), step_order: 0 }) },
  'POST /v1/sends': { body: async (hand) => ({ to: email(hand), ...STEP, inbox_id: await hand.make('inb') }) },
  'POST /v1/sends/{id}/cancel': {},
  'POST /v1/threads/{id}/replies': { params: ofThread, body: (hand) => ({ body_text: 'Hello', to: email(hand) }) },
  'POST /v1/webhooks': { body: () => ({ url: HOOK, enabled_events: ['*'] }) },
  'PATCH /v1/webhooks/{id}': { body: () => ({ description: 'Changed' }) },
  'DELETE /v1/webhooks/{id}': {},
  'POST /v1/webhooks/{id}/rotate': {},
  'POST /v1/webhooks/{id}/test': {},
  'POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver': { params: delivery },
  'POST /v1/test_clock/advance': { body: () => ({ seconds: 60 }) },
  'POST /v1/webhooks/{id}/replay': { body: () => ({ from_sequence: 1 }) },
};

/** Reads that need more than a new thing for each parameter. */
const READS: Record<string, Valid> = {
  'GET /v1/threads/{id}': { params: ofThread },
  'GET /v1/campaigns/{id}/contacts/{contact_id}/explain': {
    params: async (hand) => {
      const id = await hand.make('cmp');
      const [lead] = (await hand.ask(`GET /v1/campaigns/${id}/contacts`))['data'] as Json[];
      return { id, contact_id: String(lead!['contact_id']) };
    },
  },
};

export const lineOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`;

/** What is known of a route's valid call. Throws where a mutation has no line. */
export function validOf(route: Route): Valid & { mode: 'live' | 'test' } {
  const line = lineOf(route);
  const valid = (route.method === 'GET' ? READS : MUTATIONS)[line] ?? (route.method === 'GET' ? {} : undefined);
  if (!valid) throw new Error(`${line} has no valid call yet: give it one in testing/operations.ts.`);
  return { mode: 'test', ...valid };
}

/** A valid call of `route`, over things that are new. */
export async function operationOf(route: Route, hand: Hand): Promise<Operation> {
  const valid = validOf(route);
  const params: Params = valid.params ? await valid.params(hand) : {};
  if (!valid.params) for (const [name, prefix] of prefixesOf(route)) params[name] = await hand.make(prefix);
  const url = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => params[name]!);
  const body = await valid.body?.(hand, params);
  return { method: route.method, url: route.spec.confirm ? `${url}?confirm=true` : url, ...(body && { body }) };
}

/** The path parameters of a route with the prefixes of their ids, as the schema describes them. */
function prefixesOf({ path, spec }: Route): [name: string, prefix: string][] {
  const shape = (spec.params as unknown as { shape: Record<string, { description?: string }> } | undefined)?.shape ?? {};
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const prefix = /^([a-z]+)_ /.exec(shape[name!]?.description ?? '')?.[1];
    if (prefix === undefined || !THINGS[prefix]) throw new Error(`${path}: testing/operations.ts cannot make what {${name}} stands for.`);
    return [name!, prefix];
  });
}

type Listing = {
  /** Where the list's rows are, so that a test can take one away; null where nothing ever goes. */
  table: string | null;
  /** The prefix of what is listed: a new one is a new row. */
  of?: string;
  /** What comes during a walk does not stand before what was there when it began. */
  growsBehind?: true;
  /** Otherwise: whose list it is, and how it grows. */
  open?: (hand: Hand) => Promise<{ params: Params; add: () => Promise<unknown> }>;
};

const LISTS: Record<string, Listing> = {
  'GET /v1/contacts': { table: 'contacts', of: 'con' },
  'GET /v1/contact_imports': { table: 'contact_imports', of: 'imp' },
  'GET /v1/audiences': { table: 'audiences', of: 'aud' },
  'GET /v1/suppressions': { table: 'suppressions', of: 'sup' },
  'GET /v1/sequences': { table: 'sequences', of: 'seq' },
  'GET /v1/inboxes': { table: 'inboxes', of: 'inb' },
  'GET /v1/campaigns': { table: 'campaigns', of: 'cmp' },
  'GET /v1/campaigns/{id}/contacts': {
    table: 'enrollments',
    open: async (hand) => {
      const id = await hand.make('cmp');
      const add = async () => hand.ask(`POST /v1/campaigns/${id}/contacts`, { contact_ids: [await hand.make('con')] });
      return { params: { id }, add };
    },
  },
  // In the order of the steps: a new one is the last.
  'GET /v1/campaigns/{id}/steps': {
    table: 'campaign_steps',
    growsBehind: true,
    open: async (hand) => {
      const id = await hand.make('cmp');
      return { params: { id }, add: () => hand.ask(`POST /v1/campaigns/${id}/steps`, STEP) };
    },
  },
  'GET /v1/threads': { table: null, of: 'thr', growsBehind: true },
  'GET /v1/webhooks': { table: 'webhook_endpoints', of: 'whk' },
  'GET /v1/webhooks/{id}/deliveries': {
    table: 'webhook_deliveries',
    open: async (hand) => {
      const id = await hand.make('whk');
      return { params: { id }, add: () => hand.ask(`POST /v1/webhooks/${id}/test`) };
    },
  },
  'GET /v1/sends': { table: 'sends', of: 'snd' },
  'GET /v1/messages': { table: 'messages', of: 'msg' },
  'GET /v1/events': { table: null, of: 'evt' },
};

type OpenListing = { url: string; add: () => Promise<unknown> } & Pick<Listing, 'table' | 'growsBehind'>;

/** A list that can grow: its address, its table, and how a row is added. Throws where it has no line. */
export async function listingOf(route: Route, hand: Hand): Promise<OpenListing> {
  const listing = LISTS[lineOf(route)];
  if (!listing) throw new Error(`${lineOf(route)}: say in testing/operations.ts how this list grows.`);
  const { params, add } = (await listing.open?.(hand)) ?? { params: {} as Params, add: () => hand.make(listing.of!) };
  const { table, growsBehind } = listing;
  return { url: route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => params[name]!), add, table, ...(growsBehind && { growsBehind }) };
}

let numbers = 0;

/** A hand that works with the key `secret`. */
export function handOf(app: FastifyInstance, secret: string): Hand {
  const hand: Hand = {
    async ask(line, body) {
      const [method, url] = line.split(' ') as [Route['method'], string];
      const answer = await send(app, { method, url, ...(body && { body }) }, secret);
      if (answer.statusCode >= 300) throw new Error(`${line}: ${answer.statusCode} ${answer.body}`);
      return answer.json();
    },
    make: (prefix) => THINGS[prefix]!(hand),
    next: () => ++numbers,
  };
  return hand;
}

/** Make a call as it is, with a key or without. `text` goes out instead of the body. */
export function send(
  app: FastifyInstance,
  { method, url, body }: Operation,
  secret: string | undefined,
  { headers = {}, text = body && JSON.stringify(body) }: { headers?: Record<string, string>; text?: string | undefined } = {},
): Promise<LightMyRequestResponse> {
  const all = {
    ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
    ...(text !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
  return app.inject({ method, url, headers: all, ...(text !== undefined && { payload: text }) });
}
