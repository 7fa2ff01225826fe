import { newId } from '#platform/ids.ts';
import { found } from '#platform/refusal.ts';
import { ok, preparedRoute, route } from '#web/route.ts';
import { idParams, list, listOf } from '#web/wire.ts';
import { importContacts, keptErrors, requireAudience } from './import-contacts.ts';
import { readFile } from './read-file.ts';
import * as store from './store.ts';
import { ContactImport, DryRun, ImportBody, ImportListQuery, ImportQuery, present, presentDryRun } from './wire.ts';

export const routes = [
  route(
    'GET /v1/contact_imports',
    { summary: 'List contact imports.', scope: 'read', query: ImportListQuery, reply: { 200: listOf(ContactImport) } },
    async (ctx, { query }) => ok(list(await store.list(ctx, query), present)),
  ),
  preparedRoute(
    'POST /v1/contact_imports',
    {
      summary: 'Import contacts from a CSV file; with dry_run=true only say what would happen.',
      scope: 'write',
      query: ImportQuery,
      body: ImportBody,
      upload: true,
      reply: { 200: ContactImport.or(DryRun) },
      refusals: ['payload_too_large', 'resource_missing'],
    },
    // Reading takes its time and needs no database.
    (ctx, { upload, body }) => readFile(ctx.clock, upload!.file, body.mapping ?? {}),
    async (ctx, { query, body, prepared }) => {
      if (query.dry_run !== 'true') return ok(present(await importContacts(ctx, prepared, body)));
      if (body.audience_id !== undefined) await requireAudience(ctx, body.audience_id);
      const errors = keptErrors(prepared.faults, prepared.unreadable);
      return ok(presentDryRun(newId(ctx, 'dryrun', ctx.now), ctx.mode, { total: prepared.totalRows, valid: prepared.rows.length, errors }));
    },
  ),
  route(
    'GET /v1/contact_imports/{id}',
    { summary: 'Retrieve a contact import.', scope: 'read', params: idParams({ id: 'imp' }), reply: { 200: ContactImport } },
    async (ctx, { params: { id } }) => ok(present(found(await store.byId(ctx, id), 'contact import'))),
  ),
];
