// What happened to letters, as it tells on the contact. Each gives back the contacts that changed.
import { emailKey } from '#platform/email-address.ts';
import { inTransaction } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';
import { tellBounced, tellUnsubscribed, tellUpdated } from './happenings.ts';
import { MAY_BECOME } from './rules.ts';
import * as store from './store.ts';

type Who = { contactIds: readonly string[] } | { emails: readonly string[] };

/** A letter came back for good. */
export const markBounced = (ctx: Ctx, contactIds: readonly string[]) => mark(ctx, { contactIds }, 'bounced', tellBounced);

/** Somebody asked to be left alone; `source` is the id of the campaign that led to it, or `manual`. */
export const markUnsubscribed = (ctx: Ctx, { source, ...who }: Who & { source: string }) =>
  mark(ctx, who, 'unsubscribed', (inside, row) => tellUnsubscribed(inside, row, source));

/** Somebody complained to their provider. */
export const markBlacklisted = (ctx: Ctx, contactIds: readonly string[]) => mark(ctx, { contactIds }, 'blacklisted', () => {});

function mark(ctx: Ctx, who: Who, status: keyof typeof MAY_BECOME, tell: (ctx: Ctx, row: store.Row) => void): Promise<store.Row[]> {
  return inTransaction(ctx, async (inside) => {
    const known = 'emails' in who ? await store.lockByEmail(inside, who.emails.map(emailKey)) : await store.lockByIds(inside, who.contactIds);
    const from: readonly string[] = MAY_BECOME[status];
    const pairs = known.filter((row) => from.includes(row.global_status)).map((before) => ({ before, row: changedTo(inside, before, status) }));
    if (pairs.length)
      await store.saveAll(
        inside,
        pairs.map(({ row }) => row),
      );
    for (const { before, row } of pairs) {
      tellUpdated(inside, row, before);
      tell(inside, row);
    }
    return pairs.map(({ row }) => row);
  });
}

const changedTo = (ctx: Ctx, before: store.Row, status: store.Row['global_status']): store.Row => ({
  ...before,
  global_status: status,
  updated_at: ctx.now,
});
