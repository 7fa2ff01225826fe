import { emailKey } from '#platform/email-address.ts';
import { newId } from '#platform/ids.ts';
import { inTransaction } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';

export type Reason = store.Row['reason'];
export type Suppressing = { email: string; reason: Reason; sourceSendId?: string | null | undefined };
type Suppressed = { row: store.Row; isNew: boolean };

/** Put one address on the list (see suppressAll). */
export async function suppress(ctx: Ctx, wanted: Suppressing): Promise<Suppressed> {
  return (await suppressAll(ctx, [wanted]))[0]!;
}

/**
 * Put addresses on the list; one answer for each, in order. Suppressing twice is no error, and the first reason stands.
 * No letter to them is released after this has committed: see the last statement.
 */
export function suppressAll(ctx: Ctx, wanted: readonly Suppressing[]): Promise<Suppressed[]> {
  return inTransaction(ctx, async (inside) => {
    const firsts = new Map<string, Suppressing>();
    for (const one of wanted) if (!firsts.has(emailKey(one.email))) firsts.set(emailKey(one.email), one);
    const rows = [...firsts].map(([key, one]) => rowFor(inside, key, one));
    const inserted = await store.insertNew(inside, rows);
    const isNew = new Set(inserted.map((row) => row.id));
    const byKey = new Map(inserted.map((row) => [row.email_key, row]));
    const known = [...firsts.keys()].filter((key) => !byKey.has(key));
    for (const row of known.length ? await store.byKeys(inside, known) : []) byKey.set(row.email_key, row);
    // The engine releases a letter in a transaction that locks its send first and looks for suppressions in a later statement. By
    // waiting for those locks here, before our commit, we have either let it release before us or made it wait until it can see us.
    if (inserted.length)
      await store.lockOpenSends(
        inside,
        inserted.map((row) => row.email_key),
      );
    return wanted.map((one) => answerFor(byKey, isNew, emailKey(one.email)));
  });
}

const rowFor = (ctx: Ctx, key: string, { email, reason, sourceSendId }: Suppressing): store.Row => ({
  workspace_id: ctx.workspaceId,
  mode: ctx.mode,
  id: newId(ctx, 'sup', ctx.now),
  email: email.trim(),
  email_key: key,
  reason,
  source_send_id: sourceSendId ?? null,
  created_at: ctx.now,
});

/** The first to name a new address made it; the same address again in one call finds it there. */
function answerFor(byKey: Map<string, store.Row>, isNew: Set<string>, key: string): Suppressed {
  const row = byKey.get(key);
  if (!row) throw new Error('A suppression was taken off the list while it was being put there.');
  return { row, isNew: isNew.delete(row.id) };
}
