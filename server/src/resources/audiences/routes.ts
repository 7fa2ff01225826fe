import { found } from '#platform/refusal.ts';
import { requireConfirmation } from '#web/confirm.ts';
import { created, ok, route } from '#web/route.ts';
import { ConfirmQuery, idParams, list, listOf } from '#web/wire.ts';
import { attachContacts } from './attach-contacts.ts';
import { createAudience } from './create-audience.ts';
import { deleteAudience } from './delete-audience.ts';
import { detachContact } from './detach-contact.ts';
import * as store from './store.ts';
import { updateAudience } from './update-audience.ts';
import {
  AttachBody,
  AttachResult,
  Audience,
  AudiencePatch,
  AudienceQuery,
  DetachedContact,
  NewAudience,
  present,
  presentAttached,
  presentDetached,
} from './wire.ts';

const params = idParams({ id: 'aud' });

export const routes = [
  route(
    'GET /v1/audiences',
    { summary: 'List audiences.', scope: 'read', query: AudienceQuery, reply: { 200: listOf(Audience) } },
    async (ctx, { query }) => ok(list(await store.list(ctx, query), present)),
  ),
  route(
    'POST /v1/audiences',
    { summary: 'Create an audience.', scope: 'write', body: NewAudience, reply: { 201: Audience } },
    async (ctx, { body }) => created(present(await createAudience(ctx, body))),
  ),
  route(
    'GET /v1/audiences/{id}',
    { summary: 'Retrieve an audience.', scope: 'read', params, reply: { 200: Audience } },
    async (ctx, { params: { id } }) => ok(present(found(await store.byId(ctx, id), 'audience'))),
  ),
  route(
    'PATCH /v1/audiences/{id}',
    { summary: 'Rename or describe an audience.', scope: 'write', params, body: AudiencePatch, reply: { 200: Audience } },
    async (ctx, { params: { id }, body }) => ok(present(await updateAudience(ctx, id, body))),
  ),
  route(
    'DELETE /v1/audiences/{id}',
    {
      summary: 'Delete an audience; its contacts stay. Needs confirm=true when it holds any.',
      scope: 'write',
      params,
      query: ConfirmQuery,
      confirm: 'at times',
      reply: { 200: Audience },
    },
    async (ctx, { params: { id } }) => ok(present(await deleteAudience(ctx, id, () => requireConfirmation(ctx)))),
  ),
  route(
    'POST /v1/audiences/{id}/contacts',
    { summary: 'Add up to 1,000 contacts to an audience.', scope: 'write', params, body: AttachBody, reply: { 200: AttachResult } },
    async (ctx, { params: { id }, body }) => ok(presentAttached(await attachContacts(ctx, id, body.contact_ids))),
  ),
  route(
    'DELETE /v1/audiences/{id}/contacts/{contact_id}',
    {
      summary: 'Take a contact out of an audience.',
      scope: 'write',
      params: idParams({ id: 'aud', contact_id: 'con' }),
      reply: { 200: DetachedContact },
    },
    async (ctx, { params: { id, contact_id: contactId } }) => {
      await detachContact(ctx, id, contactId);
      return ok(presentDetached(id, contactId));
    },
  ),
];
