import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { Resource } from './resource.ts';
import type { Answered, CallOptions } from './transport.ts';
import type { ContactImport } from './types.gen.ts';

/** Fifty thousand rows are imported within the call; a larger file answers `queued`, and `retrieve` tells how far it is. */
const IMPORT_TIMEOUT_MS = 600_000;

export type CreateContactImportBody = {
  /** The CSV: its text, its bytes, or a Blob (a browser's File). */
  file: string | Uint8Array<ArrayBuffer> | Blob;
  /** Default: contacts.csv */
  filename?: string;
  /** Which column is the email, and which columns become which attributes: `{ email: 'Work Email', attributes: { company: 'Organisation' } }`. */
  mapping?: { email?: string; attributes?: Record<string, string> };
  audience_id?: string;
  /** Creates an audience of this name for the rows. */
  audience_name?: string;
  on_conflict?: 'upsert' | 'skip';
  /** Parses and validates only. */
  dry_run?: boolean;
};
export type ContactImportDryRun = {
  id: string;
  object: 'contact_import_dry_run';
  mode: ContactImport['mode'];
  total_rows: number;
  valid_rows: number;
  invalid_rows: number;
  errors: ContactImport['errors'];
};

export class ContactImports extends Resource {
  list(query?: ListQuery, options?: CallOptions) {
    return this.pages<ContactImport>('/v1/contact_imports', query, options);
  }
  /** Uploads a CSV. With `dry_run: true` nothing is written and the answer says what would be. */
  create(body: CreateContactImportBody & { dry_run: true }, options?: CallOptions): Promise<Answered<ContactImportDryRun>>;
  create(body: CreateContactImportBody & { dry_run?: false }, options?: CallOptions): Promise<Answered<ContactImport>>;
  create(body: CreateContactImportBody, options?: CallOptions): Promise<Answered<ContactImport | ContactImportDryRun>>;
  create({ dry_run, ...body }: CreateContactImportBody, options?: CallOptions) {
    const query = dry_run ? { dry_run } : undefined;
    return this.call<ContactImport | ContactImportDryRun>('POST', '/v1/contact_imports', {
      timeoutMs: IMPORT_TIMEOUT_MS,
      ...options,
      query,
      form: formOf(body),
    });
  }
  retrieve(id: string, options?: CallOptions) {
    return this.call<ContactImport>('GET', path`/v1/contact_imports/${id}`, options);
  }
}

function formOf({ file, filename = 'contacts.csv', mapping, ...fields }: Omit<CreateContactImportBody, 'dry_run'>): FormData {
  const form = new FormData();
  // The fields go first, so that they are known when the file begins to arrive.
  if (mapping) form.append('mapping', JSON.stringify(mapping));
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(name, value);
  }
  form.append('file', file instanceof Blob ? file : new Blob([file], { type: 'text/csv' }), filename);
  return form;
}
