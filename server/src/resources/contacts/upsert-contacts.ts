import { emailKey } from '#platform/email-address.ts';
import { newId } from '#platform/ids.ts';
import { Refusal } from '#platform/refusal.ts';
import { inTransaction } from '#store/db.ts';
import type { Json } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';
import { noRoom, noteAdded, roomFor } from '#resources/workspaces/index.ts';
import { tellCreated, tellUpdated } from './happenings.ts';
import { type Attributes, attributesFault, attributesOf, merged } from './rules.ts';
import * as store from './store.ts';

export type ContactWanted = { email: string; attributes: Attributes; global_status?: store.Row['global_status'] | undefined };
export type Upserted = { row: store.Row; isNew: boolean };

const CHUNK = 1_000;
const TRIES = 5;

/**
 * Have these contacts; one answer for each, in order. An address that is known is left as it is (`keep`) or has the attributes merged into
 * its own (`merge`; the global status stays). The same address again in one call finds the first. Refused where the plan has no room, and
 * where merged attributes would be too large. Tells contact.created and contact.updated.
 */
export function upsertContacts(
  ctx: Ctx,
  wanted: readonly ContactWanted[],
  { onConflict }: { onConflict: 'keep' | 'merge' },
): Promise<(Upserted | Refusal)[]> {
  return inTransaction(ctx, async (inside) => {
    const firsts = new Map<string, ContactWanted>();
    for (const one of wanted) if (!firsts.has(emailKey(one.email))) firsts.set(emailKey(one.email), one);
    const outcomes = new Map<string, Upserted | Refusal>();
    const room = await roomFor(inside, 'contacts');
    for (const key of await withoutRoom(inside, room.left, [...firsts.keys()])) outcomes.set(key, noRoom('contacts'));
    // By address, over the whole call and not only within a chunk: two large calls meet their common addresses in the same order.
    const keys = [...firsts.keys()].filter((key) => !outcomes.has(key)).sort();
    for (let i = 0; i < keys.length; i += CHUNK) {
      let open = keys.slice(i, i + CHUNK);
      for (let tries = 0; open.length; tries++) {
        if (tries === TRIES) throw new Error(`${open.length} contacts came and went while they were being written.`);
        await upsertChunk(inside, new Map(open.map((key) => [key, firsts.get(key)!])), onConflict, outcomes);
        open = open.filter((key) => !outcomes.has(key));
      }
    }
    await noteAdded(inside, 'contacts', room, [...outcomes.values()].filter((one) => !(one instanceof Refusal) && one.isNew).length);
    return wanted.map((one) => answerFor(outcomes, emailKey(one.email)));
  });
}

/** The addresses, the last ones first to go, that the plan has no room for. */
async function withoutRoom(ctx: Ctx, room: number, keys: readonly string[]): Promise<string[]> {
  if (room >= keys.length) return [];
  const known = await store.contactsByEmail(ctx, keys);
  return keys.filter((key) => !known.has(key)).slice(room);
}

/** Settle what can be settled. An address whose contact is deleted between the two statements stays open. */
async function upsertChunk(
  ctx: Ctx,
  wanted: ReadonlyMap<string, ContactWanted>,
  onConflict: 'keep' | 'merge',
  outcomes: Map<string, Upserted | Refusal>,
) {
  const inserted = await store.insertNew(
    ctx,
    [...wanted].map(([key, one]) => rowFor(ctx, key, one)),
  );
  for (const row of inserted) outcomes.set(row.email_key, { row, isNew: true });
  tellCreated(ctx, inserted);
  const known = [...wanted.keys()].filter((key) => !outcomes.has(key));
  if (!known.length) return;
  if (onConflict === 'keep') {
    for (const [key, row] of await store.contactsByEmail(ctx, known)) outcomes.set(key, { row, isNew: false });
    return;
  }
  const changed: store.Row[] = [];
  for (const before of await store.lockByEmail(ctx, known)) {
    const attributes = merged(attributesOf(before), wanted.get(before.email_key)!.attributes);
    const fault = attributesFault(attributes);
    if (fault) outcomes.set(before.email_key, new Refusal('validation_failed', fault, { param: 'attributes' }));
    else if (attributes === before.attributes) outcomes.set(before.email_key, { row: before, isNew: false });
    else {
      const row = { ...before, attributes: attributes as Json, updated_at: ctx.now };
      outcomes.set(before.email_key, { row, isNew: false });
      changed.push(row);
      tellUpdated(ctx, row, before);
    }
  }
  if (changed.length) await store.saveAll(ctx, changed);
}

const rowFor = (ctx: Ctx, key: string, { email, attributes, global_status: status = 'ok' }: ContactWanted): store.Row => ({
  workspace_id: ctx.workspaceId,
  mode: ctx.mode,
  id: newId(ctx, 'con', ctx.now),
  email: email.trim(),
  email_key: key,
  attributes: attributes as Json,
  global_status: status,
  created_at: ctx.now,
  updated_at: ctx.now,
});

/** The first to name a new address made it; the same address again finds it there. */
function answerFor(outcomes: Map<string, Upserted | Refusal>, key: string): Upserted | Refusal {
  const outcome = outcomes.get(key)!;
  if (!(outcome instanceof Refusal) && outcome.isNew) outcomes.set(key, { ...outcome, isNew: false });
  return outcome;
}
