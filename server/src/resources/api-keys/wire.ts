import { z } from 'zod';
import { Id, Mode, Name, Timestamp, shown } from '#web/wire.ts';
import type { Row } from './store.ts';

const Scope = z
  .enum(['read', 'write', 'admin'])
  .meta({ id: 'Scope', description: 'read: GET only. write: besides, what does not destroy. admin: everything.' });

const fields = {
  id: Id('key'),
  object: z.literal('api_key'),
  name: z.string(),
  mode: Mode,
  scope: Scope,
  last_four: z.string().meta({ description: 'The last four characters of the secret.' }),
  auto_confirm: z.boolean().meta({ description: 'This key needs no confirm=true.' }),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable(),
  revoked_at: Timestamp.nullable(),
};
export const ApiKey = z.object(fields).meta({ id: 'ApiKey' });
export const ApiKeyWithSecret = z
  .object({ ...fields, revoked_at: z.null(), secret: z.string().meta({ description: 'Shown this once.' }) })
  .meta({ id: 'ApiKeyWithSecret' });

/** The only list without pages: it has no prev_cursor. */
export const ApiKeyList = z
  .object({ object: z.literal('list'), data: z.array(ApiKey), has_more: z.literal(false), next_cursor: z.null() })
  .meta({ id: 'ApiKeyList' });

export const NewApiKey = z.strictObject({
  name: Name(120),
  scope: Scope.default('write'),
  mode: Mode.optional().meta({ description: "The calling key's own mode, which is also the default." }),
  auto_confirm: z.boolean().default(false),
});

export const present = (row: Row): z.input<typeof ApiKey> => ({
  id: row.id,
  object: 'api_key',
  name: row.name,
  mode: row.mode,
  scope: row.scope,
  last_four: row.last_four,
  auto_confirm: row.auto_confirm,
  created_at: row.created_at.toISOString(),
  last_used_at: shown(row.last_used_at),
  revoked_at: shown(row.revoked_at),
});

export const presentWithSecret = ({ row, secret }: { row: Row; secret: string }): z.input<typeof ApiKeyWithSecret> => ({
  ...present(row),
  // A revoked key is given no secret.
  revoked_at: null,
  secret,
});

export const presentAll = (rows: readonly Row[]): z.input<typeof ApiKeyList> => ({
  object: 'list',
  data: rows.map(present),
  has_more: false,
  next_cursor: null,
});
