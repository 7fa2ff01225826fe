import { newId } from '#platform/ids.ts';
import { found } from '#platform/refusal.ts';
import { ok, preparedRoute, route } from '#web/route.ts';
import { idParams, list, listOf } from '#web/wire.ts';
import { keptErrors, requireAudience, unreadableError } from './bring.ts';
import { importContacts, queueImport } from './import-contacts.ts';
import { readFile } from './read-file.ts';
import * as store from './store.ts';
import { ContactImport, DryRun, ImportBody, ImportListQuery, ImportQuery, present, presentDryRun } from './wire.ts';

/** Larger files wait for a worker. */
const MAX_ROWS_IN_CALL = 50_000;

export const routes = [
  route(
    'GET /v1/contact_imports',
    { summary: 'List contact imports.', scope: 'read', query: ImportListQuery, reply: { 200: listOf(ContactImport) } },
    async (ctx, { query }) => ok(list(await store.list(ctx, query), present)),
  ),
  preparedRoute(
    'POST /v1/contact_imports',
    {
      summary: 'Import contacts from a CSV file; with dry_run=true only say what would happen. 202 and queued for a file of more than 50,000 rows.',
      scope: 'write',
      query: ImportQuery,
      body: ImportBody,
      upload: true,
      reply: { 200: ContactImport.or(DryRun), 202: ContactImport },
      refusals: ['payload_too_large', 'resource_missing'],
    },
    // Reading takes its time and needs no database.
    (ctx, { upload, query, body }) => readFile(ctx.clock, upload!.file, body.mapping ?? {}, query.dry_run === 'true' ? undefined : MAX_ROWS_IN_CALL),
    async (ctx, { upload, query, body, prepared }) => {
      if (!prepared) return { status: 202 as const, body: present(await queueImport(ctx, upload!.file, body)) };
      if (query.dry_run !== 'true') return ok(present(await importContacts(ctx, prepared, body)));
      await requireAudience(ctx, body);
      const { total, valid, faults, unreadable } = prepared;
      const errors = unreadable ? [unreadableError(unreadable)] : keptErrors(faults);
      return ok(presentDryRun(newId(ctx, 'dryrun', ctx.now), ctx.mode, { total, valid, errors }));
    },
  ),
  route(
    'GET /v1/contact_imports/{id}',
    { summary: 'Retrieve a contact import.', scope: 'read', params: idParams({ id: 'imp' }), reply: { 200: ContactImport } },
    async (ctx, { params: { id } }) => ok(present(found(await store.byId(ctx, id), 'contact import'))),
  ),
];
