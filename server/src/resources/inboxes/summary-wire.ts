// The inbox inside another object, when `expand=inbox` asks for it.
import { z } from 'zod';
import { Id } from '#web/wire.ts';
import type { Ctx } from '#world/ctx.ts';
import { type Row, byIds } from './store.ts';

export const InboxSummary = z
  .object({ id: Id('inb'), email_address: z.string(), display_name: z.string().nullable(), status: z.string() })
  .nullable()
  .optional()
  .meta({ description: 'Only with expand=inbox; null when the inbox is missing.' });

export const Expand = z.literal('inbox', { message: 'Only inbox can be expanded.' }).optional();
export const ExpandQuery = z.strictObject({ expand: Expand });

const summaryOf = ({ id, email_address, display_name, status }: Row) => ({ id, email_address, display_name, status });

/** How to show rows that name an inbox: as `present` does, with the inbox's summary besides when it is asked for. */
export async function expanding<R extends { inbox_id: string }, Shown extends object>(
  ctx: Ctx,
  rows: readonly R[],
  expand: 'inbox' | undefined,
  present: (row: R) => Shown,
): Promise<(row: R) => Shown & { inbox?: ReturnType<typeof summaryOf> | null }> {
  if (!expand) return present;
  const inboxes = new Map((await byIds(ctx, [...new Set(rows.map((row) => row.inbox_id))])).map((inbox) => [inbox.id, summaryOf(inbox)]));
  return (row) => ({ ...present(row), inbox: inboxes.get(row.inbox_id) ?? null });
}
