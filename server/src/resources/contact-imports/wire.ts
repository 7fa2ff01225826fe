import { z } from 'zod';
import { Refusal } from '#platform/refusal.ts';
import { LEAD_KEY } from '#resources/contacts/index.ts';
import { RowProblem } from '#web/batch.ts';
import { rowError } from '#web/problems.ts';
import { Id, Line, Mode, Name, PageQuery, Ref, Timestamp, shown } from '#web/wire.ts';
import type { KeptError, Row } from './store.ts';

const ImportError = z
  .object({
    row: z.int().meta({ description: 'As spreadsheets count: the header is row 1.' }),
    email: z.string().meta({ description: 'As it was read.' }),
    column: z.string().nullable().meta({ description: 'The column at fault, as the header names it.' }),
    error: RowProblem,
  })
  .meta({ id: 'ImportError' });

export const ContactImport = z
  .object({
    id: Id('imp'),
    object: z.literal('contact_import'),
    mode: Mode,
    status: z.enum(['queued', 'processing', 'succeeded', 'failed']).meta({ description: 'failed: nothing could be read or imported.' }),
    total_rows: z.int().meta({ description: 'Rows below the header; 0 until a queued import is processed.' }),
    succeeded_rows: z.int().meta({ description: 'Rises while the import is processed.' }),
    failed_rows: z.int(),
    errors: z.array(ImportError).meta({ description: 'The first 1,000.' }),
    audience_id: Id('aud').nullable(),
    audience_created: z.boolean(),
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    completed_at: Timestamp.nullable(),
  })
  .meta({ id: 'ContactImport' });

export const DryRun = z
  .object({
    id: Id('dryrun'),
    object: z.literal('contact_import_dry_run'),
    mode: Mode,
    total_rows: z.int(),
    valid_rows: z.int().meta({ description: 'Rows that would be imported, known addresses among them.' }),
    invalid_rows: z.int(),
    errors: z.array(ImportError),
  })
  .meta({ id: 'ContactImportDryRun' });

export const ImportListQuery = PageQuery;
export const ImportQuery = z.strictObject({ dry_run: z.enum(['true', 'false']).optional() });

const attributeName = Line(120, 1).refine((name) => name !== LEAD_KEY, { message: 'The lead status cannot be imported.' });
const Mapping = z.strictObject({ email: z.string().max(500).optional(), attributes: z.record(attributeName, z.string().max(500)).optional() });
const mappingText = z
  .string()
  .transform((text, check): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      check.addIssue({
        code: 'custom',
        message: 'mapping is a JSON object such as {"email": "Work Email", "attributes": {"company": "Organisation"}}.',
      });
      return z.NEVER;
    }
  })
  .pipe(Mapping)
  .meta({ description: 'Names of columns, as JSON: {"email": "Work Email", "attributes": {"company": "Organisation"}}.' });

/** What comes beside the file: fields of the form, query parameters of a raw file, keys of the JSON body. */
export const ImportBody = z
  .strictObject({
    mapping: mappingText.optional(),
    audience_id: Ref('aud', 'audience').optional(),
    audience_name: Name(200).optional().meta({ description: 'Makes an audience of this name.' }),
    on_conflict: z
      .enum(['upsert', 'skip'])
      .default('upsert')
      .meta({ description: 'upsert merges attributes into known contacts; skip leaves them as they are.' }),
  })
  .refine((one) => one.audience_id === undefined || one.audience_name === undefined, {
    message: 'Give audience_id or audience_name, not both.',
    path: ['audience_name'],
  });

export const presentError = ({ row, email, column, code, message }: KeptError) => ({
  row,
  email,
  column,
  error: rowError(new Refusal(code, message)),
});

export const present = (row: Row): z.input<typeof ContactImport> => ({
  id: row.id,
  object: 'contact_import',
  mode: row.mode,
  status: row.status,
  total_rows: row.total_rows,
  succeeded_rows: row.succeeded_rows,
  failed_rows: row.failed_rows,
  errors: (row.errors as KeptError[]).map(presentError),
  audience_id: row.audience_id,
  audience_created: row.audience_created,
  created_at: row.created_at.toISOString(),
  started_at: shown(row.started_at),
  completed_at: shown(row.completed_at),
});

export const presentDryRun = (
  id: string,
  mode: Row['mode'],
  counted: { total: number; valid: number; errors: KeptError[] },
): z.input<typeof DryRun> => ({
  id,
  object: 'contact_import_dry_run',
  mode,
  total_rows: counted.total,
  valid_rows: counted.valid,
  invalid_rows: counted.total - counted.valid,
  errors: counted.errors.map(presentError),
});
