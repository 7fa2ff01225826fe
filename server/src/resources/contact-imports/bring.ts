import { Refusal } from '#platform/refusal.ts';
import { addMembers, audienceById, createAudience } from '#resources/audiences/index.ts';
import { lockShare, upsertContacts } from '#resources/contacts/index.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Mapping } from './columns.ts';
import { type GoodRow, MAX_ERRORS, type RowFault } from './read-file.ts';
import type * as store from './store.ts';

/** What a caller wants done with a file. */
export type Wishes = {
  mapping?: Mapping | undefined;
  audience_id?: string | undefined;
  audience_name?: string | undefined;
  on_conflict: 'upsert' | 'skip';
};

export type Audience = { id: string | null; created: boolean };
/** What became of some rows: how many are in, who is not, and into which audience they went. */
export type Brought = { succeeded: number; faults: RowFault[]; audience: Audience };

/**
 * Bring rows into the contacts and, if wished, into an audience, in the caller's transaction. An audience that has a name only is made with the
 * first row that comes in; `audience` is what earlier rows of the file have made of it.
 */
export async function bring(ctx: Ctx, rows: readonly GoodRow[], wishes: Wishes, audience: Audience): Promise<Brought> {
  const outcomes = await upsertContacts(ctx, rows, { onConflict: wishes.on_conflict === 'skip' ? 'keep' : 'merge' });
  const faults: RowFault[] = [];
  const contactIds: string[] = [];
  outcomes.forEach((outcome, index) => {
    const { nth, row, email } = rows[index]!;
    if (outcome instanceof Refusal) faults.push({ nth, row, email, column: null, refusal: outcome });
    else contactIds.push(outcome.row.id);
  });
  if (contactIds.length === 0) return { succeeded: 0, faults, audience };
  const known = audience.id === null && wishes.audience_name !== undefined ? await made(ctx, wishes.audience_name) : audience;
  if (known.id !== null) await addMembers(ctx, known.id, await kept(ctx, contactIds, wishes));
  return { succeeded: contactIds.length, faults, audience: known };
}

/** Those of the contacts that stay until the commit: what was only found may be deleted by others until it is locked. */
const kept = async (ctx: Ctx, contactIds: readonly string[], { on_conflict: onConflict }: Wishes) =>
  onConflict === 'upsert' ? contactIds : (await lockShare(ctx, contactIds)).map((contact) => contact.id);

const made = async (ctx: Ctx, name: string): Promise<Audience> => ({
  id: (await createAudience(ctx, { name, description: null })).id,
  created: true,
});

/** Throws resource_missing for an audience that this workspace and mode does not know. */
export async function requireAudience(ctx: Ctx, { audience_id: id }: Wishes): Promise<void> {
  if (id !== undefined && !(await audienceById(ctx, id))) throw new Refusal('resource_missing', 'No such audience.', { param: 'audience_id' });
}

/** The errors to keep of these, in the order of the file. */
export const keptErrors = (faults: readonly RowFault[]): store.KeptError[] =>
  [...faults]
    .sort((a, b) => a.nth - b.nth)
    .slice(0, MAX_ERRORS)
    .map(({ row, email, column, refusal }) => ({ row, email, column, code: refusal.code, message: refusal.message }));

/** The one error of a file that could not be read stands on its first row. */
export const unreadableError = ({ code, message }: Refusal): store.KeptError => ({ row: 1, email: '', column: null, code, message });
