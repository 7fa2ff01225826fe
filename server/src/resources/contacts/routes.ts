import { Refusal, found } from '#platform/refusal.ts';
import { batch, batchResult, readRows } from '#web/batch.ts';
import { created, gatheredRoute, ok, route } from '#web/route.ts';
import { idParams, list, listOf } from '#web/wire.ts';
import * as store from './store.ts';
import { updateContact } from './update-contact.ts';
import { upsertContacts } from './upsert-contacts.ts';
import { Contact, ContactBatch, ContactBatchResult, ContactPatch, ContactQuery, NewContact, present } from './wire.ts';

const params = idParams({ id: 'con' });

export const routes = [
  route(
    'GET /v1/contacts',
    { summary: 'List contacts.', scope: 'read', query: ContactQuery, reply: { 200: listOf(Contact) } },
    async (ctx, { query }) => ok(list(await store.list(ctx, query), present)),
  ),
  gatheredRoute(
    'POST /v1/contacts',
    {
      summary: 'Create a contact; 200 and unchanged when the address is known.',
      scope: 'write',
      body: NewContact,
      reply: { 200: Contact, 201: Contact },
      refusals: ['plan_limit_reached'],
    },
    async (calls) => {
      const { ctx } = calls[0]!;
      if (calls.some((call) => call.ctx.workspaceId !== ctx.workspaceId || call.ctx.mode !== ctx.mode))
        throw new Error('Calls of two tenants were gathered.');
      const outcomes = await upsertContacts(
        ctx,
        calls.map(({ input }) => input.body),
        { onConflict: 'keep' },
      );
      return outcomes.map((one) => (one instanceof Refusal ? one : one.isNew ? created(present(one.row)) : ok(present(one.row))));
    },
  ),
  route(
    'POST /v1/contacts/batch',
    { summary: 'Create up to 1,000 contacts.', scope: 'write', body: ContactBatch, reply: { 200: ContactBatchResult } },
    async (ctx, { body: { contacts } }) => {
      const outcomes = await batch(readRows(NewContact, contacts), (rows) => upsertContacts(ctx, rows, { onConflict: 'keep' }));
      return ok(batchResult(contacts, outcomes, ({ row }) => present(row)));
    },
  ),
  route(
    'GET /v1/contacts/{id}',
    { summary: 'Retrieve a contact.', scope: 'read', params, reply: { 200: Contact } },
    async (ctx, { params: { id } }) => ok(present(found(await store.byId(ctx, id), 'contact'))),
  ),
  route(
    'PATCH /v1/contacts/{id}',
    { summary: 'Merge attributes; set the global status.', scope: 'write', params, body: ContactPatch, reply: { 200: Contact } },
    async (ctx, { params: { id }, body }) => ok(present(await updateContact(ctx, id, body))),
  ),
];
