import { found } from '#platform/refusal.ts';
import { created, ok, preparedRoute, route } from '#web/route.ts';
import { idParams, list, listOf } from '#web/wire.ts';
import { budgetOf } from './budget.ts';
import { InboxBudget, presentBudget } from './budget-wire.ts';
import { checkWanted, connectSmtp } from './connect-smtp.ts';
import { createSandbox } from './create-sandbox.ts';
import * as store from './store.ts';
import { updateInbox } from './update.ts';
import { Inbox, InboxPatch, InboxQuery, SandboxInboxBody, SmtpInboxBody, present } from './wire.ts';

const params = idParams({ id: 'inb' });

export const routes = [
  route('GET /v1/inboxes', { summary: 'List inboxes.', scope: 'read', query: InboxQuery, reply: { 200: listOf(Inbox) } }, async (ctx, { query }) =>
    ok(list(await store.list(ctx, query), (row) => present(row, ctx.now))),
  ),
  route('GET /v1/inboxes/{id}', { summary: 'Retrieve an inbox.', scope: 'read', params, reply: { 200: Inbox } }, async (ctx, { params: { id } }) =>
    ok(present(found(await store.byId(ctx, id), 'inbox'), ctx.now)),
  ),
  route(
    'GET /v1/inboxes/{id}/budget',
    {
      summary: "Show an inbox's sending day: its cap, which send took which unit, and when it is free next.",
      scope: 'read',
      params,
      reply: { 200: InboxBudget },
    },
    async (ctx, { params: { id } }) => ok(presentBudget(await budgetOf(ctx, id), ctx.now)),
  ),
  preparedRoute(
    'POST /v1/inboxes/smtp',
    {
      summary: 'Connect a mailbox by SMTP and IMAP. Both logins are tried before anything is stored.',
      operationId: 'connectSmtpInbox',
      scope: 'write',
      body: SmtpInboxBody,
      reply: { 200: Inbox, 201: Inbox },
      refusals: ['inbox_connection_failed', 'mode_mismatch', 'plan_limit_reached', 'rate_limit_exceeded'],
    },
    (ctx, { body }) => checkWanted(ctx, body),
    async (ctx, { body, prepared }) => {
      const { row, isNew } = await connectSmtp(ctx, body, prepared);
      return isNew ? created(present(row, ctx.now)) : ok(present(row, ctx.now));
    },
  ),
  route(
    'POST /v1/inboxes/sandbox',
    {
      summary: 'Create a sandbox inbox (test mode).',
      operationId: 'createSandboxInbox',
      scope: 'write',
      body: SandboxInboxBody,
      reply: { 201: Inbox },
      refusals: ['mode_mismatch'],
    },
    async (ctx, { body }) => created(present(await createSandbox(ctx, body), ctx.now)),
  ),
  route(
    'PATCH /v1/inboxes/{id}',
    {
      summary: 'Change the settings of an inbox, pause it or make it active.',
      scope: 'write',
      params,
      body: InboxPatch,
      reply: { 200: Inbox },
      refusals: ['not_entitled'],
    },
    async (ctx, { params: { id }, body }) => ok(present(await updateInbox(ctx, id, body), ctx.now)),
  ),
];
