import { z } from 'zod';
import { found } from '#platform/refusal.ts';
import { CampaignContact, CampaignContactQuery, listEnrollments, presentEnrollment } from '#resources/enrollments/index.ts';
import { requireConfirmation } from '#web/confirm.ts';
import { created, ok, route } from '#web/route.ts';
import { ConfirmQuery, PageQuery, idParams, list, listOf } from '#web/wire.ts';
import { ContactForm, LeadStatusBody, presentContact } from '#resources/contacts/index.ts';
import { SendWire, presentSend } from '#resources/sends/index.ts';
import { NewStep, ReorderBody, StepPatch } from '#resources/sequences/index.ts';
import { attachContacts } from './attach.ts';
import { addCampaignStep, changeCampaignStep, deleteCampaignStep, reorderCampaign } from './change-steps.ts';
import { createCampaign } from './create.ts';
import { classifyLead } from './classify-lead.ts';
import { deleteCampaign } from './delete.ts';
import { explainContact } from './explain.ts';
import { Explanation, presentExplanation } from './explain-wire.ts';
import { moveContacts } from './move.ts';
import { removeContact } from './remove-contact.ts';
import { pauseCampaign, resumeCampaign, startCampaign, tryStart } from './run.ts';
import { pageOfSteps } from './step-page.ts';
import * as store from './store.ts';
import { sendTest } from './test-send.ts';
import { TestSendBody } from './test-wire.ts';
import { updateCampaign } from './update.ts';
import {
  AttachBody,
  AttachResult,
  Campaign,
  CampaignDryRun,
  CampaignPatch,
  CampaignQuery,
  CampaignStep,
  DeletedStep,
  MoveBody,
  MoveResult,
  NewCampaign,
  StartQuery,
  present,
  presentDryRun,
  presentStep,
  presentWhole,
} from './wire.ts';

const params = idParams({ id: 'cmp' });
const stepParams = idParams({ id: 'cmp', step_id: 'cst' });
const reply = { 200: Campaign };
/** What may only be done to a draft or a paused campaign. */
const editing = ['campaign_running', 'invalid_campaign_state'] as const;

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
      return ok(presentWhole(row, await store.steps(ctx, id)));
    },
  ),
  route(
    'PATCH /v1/campaigns/{id}',
    {
      summary: 'Change a draft or a paused campaign. A completed one cannot be changed.',
      scope: 'write',
      params,
      body: CampaignPatch,
      reply,
      refusals: editing,
    },
    async (ctx, { params: { id }, body }) => ok(present(await updateCampaign(ctx, id, body))),
  ),
  route(
    'DELETE /v1/campaigns/{id}',
    {
      summary: 'Delete a campaign with its steps and enrollments; what waits is canceled. Needs confirm=true while it is running.',
      scope: 'write',
      params,
      query: ConfirmQuery,
      confirm: 'at times',
      reply,
    },
    async (ctx, { params: { id } }) => ok(present(await deleteCampaign(ctx, id, () => requireConfirmation(ctx)))),
  ),
  route(
    'GET /v1/campaigns/{id}/steps',
    { summary: "List the campaign's own steps, in their order.", scope: 'read', params, query: PageQuery, reply: { 200: listOf(CampaignStep) } },
    async (ctx, { params: { id }, query }) => {
      found(await store.byId(ctx, id), 'campaign');
      return ok(list(pageOfSteps(await store.steps(ctx, id), query), presentStep));
    },
  ),
  route(
    'POST /v1/campaigns/{id}/steps',
    {
      summary: 'Insert or append a step, behind those that leads have reached.',
      scope: 'write',
      params,
      body: NewStep,
      reply: { 201: CampaignStep },
      refusals: editing,
    },
    async (ctx, { params: { id }, body }) => created(presentStep(await addCampaignStep(ctx, id, body))),
  ),
  route(
    'POST /v1/campaigns/{id}/steps/reorder',
    {
      summary: 'Put the steps into another order; those that leads have reached keep their positions.',
      scope: 'write',
      params,
      body: ReorderBody,
      reply,
      refusals: editing,
    },
    async (ctx, { params: { id }, body }) => {
      await reorderCampaign(ctx, id, body.step_ids);
      return ok(presentWhole(found(await store.byId(ctx, id), 'campaign'), await store.steps(ctx, id)));
    },
  ),
  route(
    'PATCH /v1/campaigns/{id}/steps/{step_id}',
    {
      summary: 'Change or move a step. Who has had it keeps what it had; who waits for it gets the new one.',
      scope: 'write',
      params: stepParams,
      body: StepPatch,
      reply: { 200: CampaignStep },
      refusals: editing,
    },
    async (ctx, { params: { id, step_id: stepId }, body }) => ok(presentStep(await changeCampaignStep(ctx, id, stepId, body))),
  ),
  route(
    'DELETE /v1/campaigns/{id}/steps/{step_id}',
    {
      summary: 'Delete a step; later ones move up, and who waits for it waits for the next one.',
      scope: 'write',
      params: stepParams,
      reply: { 200: DeletedStep },
      refusals: editing,
    },
    async (ctx, { params: { id, step_id: stepId } }) => ok({ ...presentStep(await deleteCampaignStep(ctx, id, stepId)), deleted: true as const }),
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
    'POST /v1/campaigns/{id}/contacts/move',
    {
      summary: 'Move contacts into another campaign, or copy them: fresh ones begin at its first step.',
      scope: 'write',
      params,
      body: MoveBody,
      reply: { 200: MoveResult },
    },
    async (ctx, { params: { id }, body }) =>
      ok({
        object: 'move_result' as const,
        ...(await moveContacts(ctx, id, body)),
        source_campaign_id: id,
        target_campaign_id: body.to_campaign_id,
        kept_in_source: body.keep_in_source,
      }),
  ),
  route(
    'GET /v1/campaigns/{id}/contacts/{contact_id}/explain',
    {
      summary: 'Explain why a contact gets its next mail now, or does not.',
      description: 'Every gate, as the planner would find it at this moment: `eligible` is true exactly when it would write down the next mail.',
      scope: 'read',
      params: idParams({ id: 'cmp', contact_id: 'con' }),
      reply: { 200: Explanation },
      operationId: 'explainCampaignContact',
    },
    async (ctx, { params: { id, contact_id: contactId } }) => ok(presentExplanation(await explainContact(ctx, id, contactId))),
  ),
  route(
    'POST /v1/campaigns/{id}/start',
    {
      summary: 'Start a draft. With dry_run=true: every contact, step and variant looked at, and a timetable; nothing is written.',
      scope: 'write',
      params,
      query: StartQuery,
      reply: { 200: z.union([Campaign, CampaignDryRun]) },
      refusals: ['invalid_campaign_state', 'campaign_not_ready'],
    },
    async (ctx, { params: { id }, query }) =>
      ok(query.dry_run === 'true' ? presentDryRun(await tryStart(ctx, id)) : present(await startCampaign(ctx, id))),
  ),
  route(
    'POST /v1/campaigns/{id}/pause',
    { summary: 'Pause a running campaign.', scope: 'write', params, reply, refusals: ['invalid_campaign_state'] },
    async (ctx, { params: { id } }) => ok(present(await pauseCampaign(ctx, id))),
  ),
  route(
    'POST /v1/campaigns/{id}/resume',
    { summary: 'Resume a paused campaign.', scope: 'write', params, reply, refusals: ['invalid_campaign_state', 'campaign_not_ready'] },
    async (ctx, { params: { id } }) => ok(present(await resumeCampaign(ctx, id))),
  ),
  route(
    'POST /v1/campaigns/{id}/test_send',
    {
      summary: 'Send one step to an address of yours, as its recipients will see it.',
      description: [
        'A single send like any other, in whatever state the campaign is: no enrollment, count or step of the campaign is touched by it or by',
        'what its recipient does. `metadata.test_send` is `true` on it and on its events, beside the ids of campaign and step. Its unsubscribe',
        'link is that of the address that gets it. A follow-up without a subject gets `Re:` and that of the nearest step before it that has one,',
        'in a thread of its own.',
      ].join(' '),
      scope: 'write',
      params,
      body: TestSendBody,
      reply: { 201: SendWire },
      refusals: ['recipient_suppressed', 'invalid_inbox_state', 'no_inbox_available', 'plan_limit_reached', 'resource_missing'],
    },
    async (ctx, { params: { id }, body }) => created(presentSend(await sendTest(ctx, id, body))),
  ),
  route(
    'DELETE /v1/contacts/{id}',
    {
      summary: 'Delete a contact for good, with its enrollments; what its campaigns had planned for it is canceled.',
      scope: 'write',
      params: idParams({ id: 'con' }),
      reply: { 200: ContactForm },
    },
    async (ctx, { params: { id } }) => ok(presentContact(await removeContact(ctx, id))),
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
