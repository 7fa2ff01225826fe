import { found } from '#platform/refusal.ts';
import { CampaignContact, CampaignContactQuery, listEnrollments, presentEnrollment } from '#resources/enrollments/index.ts';
import { created, ok, route } from '#web/route.ts';
import { idParams, list, listOf } from '#web/wire.ts';
import { ContactForm, LeadStatusBody, presentContact } from '#resources/contacts/index.ts';
import { attachContacts } from './attach.ts';
import { createCampaign } from './create.ts';
import { classifyLead } from './classify-lead.ts';
import { pauseCampaign, resumeCampaign, startCampaign } from './run.ts';
import * as store from './store.ts';
import { AttachBody, AttachResult, Campaign, CampaignQuery, NewCampaign, present, presentStep } from './wire.ts';

const params = idParams({ id: 'cmp' });
const reply = { 200: Campaign };

export const routes = [
  route(
    'GET /v1/campaigns',
    { summary: 'List campaigns.', scope: 'read', query: CampaignQuery, reply: { 200: listOf(Campaign) } },
    async (ctx, { query }) => ok(list(await store.list(ctx, query), present)),
  ),
  route(
    'POST /v1/campaigns',
    { summary: 'Create a campaign in draft, with its own copy of the sequence.', scope: 'write', body: NewCampaign, reply: { 201: Campaign } },
    async (ctx, { body }) => created(present(await createCampaign(ctx, body))),
  ),
  route(
    'GET /v1/campaigns/{id}',
    { summary: 'Retrieve a campaign with its steps.', scope: 'read', params, reply },
    async (ctx, { params: { id } }) => {
      const row = found(await store.byId(ctx, id), 'campaign');
      return ok({ ...present(row), sequence_steps: (await store.steps(ctx, id)).map(presentStep) });
    },
  ),
  route(
    'GET /v1/campaigns/{id}/contacts',
    {
      summary: 'List the contacts of a campaign and how far they are.',
      scope: 'read',
      params,
      query: CampaignContactQuery,
      reply: { 200: listOf(CampaignContact) },
    },
    async (ctx, { params: { id }, query }) => {
      found(await store.byId(ctx, id), 'campaign');
      return ok(list(await listEnrollments(ctx, id, query), presentEnrollment));
    },
  ),
  route(
    'POST /v1/campaigns/{id}/contacts',
    {
      summary: 'Enroll contacts, or an audience as it is now.',
      operationId: 'addCampaignContacts',
      scope: 'write',
      params,
      body: AttachBody,
      reply: { 200: AttachResult },
    },
    async (ctx, { params: { id }, body }) => ok({ object: 'attach_result' as const, ...(await attachContacts(ctx, id, body)) }),
  ),
  route(
    'POST /v1/campaigns/{id}/start',
    { summary: 'Start a draft.', scope: 'write', params, reply, refusals: ['invalid_campaign_state', 'campaign_not_ready'] },
    async (ctx, { params: { id } }) => ok(present(await startCampaign(ctx, id))),
  ),
  route(
    'POST /v1/campaigns/{id}/pause',
    { summary: 'Pause a running campaign.', scope: 'write', params, reply, refusals: ['invalid_campaign_state'] },
    async (ctx, { params: { id } }) => ok(present(await pauseCampaign(ctx, id))),
  ),
  route(
    'POST /v1/campaigns/{id}/resume',
    { summary: 'Resume a paused campaign.', scope: 'write', params, reply, refusals: ['invalid_campaign_state'] },
    async (ctx, { params: { id } }) => ok(present(await resumeCampaign(ctx, id))),
  ),
  route(
    'POST /v1/contacts/{id}/lead_status',
    {
      summary: 'Classify a lead. not_interested ends its enrollments, or the one of campaign_id.',
      scope: 'write',
      params: idParams({ id: 'con' }),
      body: LeadStatusBody,
      reply: { 200: ContactForm },
      operationId: 'setLeadStatus',
    },
    async (ctx, { params: { id }, body }) => ok(presentContact(await classifyLead(ctx, id, body))),
  ),
];
