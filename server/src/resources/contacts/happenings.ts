// What the world hears of contacts.
import { type Happening, record } from '#resources/events/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { attributesOf, leadStatusOf } from './rules.ts';
import type { Row } from './store.ts';
import { present } from './wire.ts';

const about = (type: Happening['type'], row: Row, more: object = {}): Happening => ({ type, resourceId: row.id, data: { ...present(row), ...more } });

export const tellCreated = (ctx: Ctx, rows: readonly Row[]) => record(ctx, ...rows.map((row) => about('contact.created', row)));
export const tellDeleted = (ctx: Ctx, row: Row) => record(ctx, about('contact.deleted', row));
export const tellBounced = (ctx: Ctx, row: Row) => record(ctx, about('contact.bounced', row));

/** `source` is a campaign's id, or `manual`. */
export const tellUnsubscribed = (ctx: Ctx, row: Row, source: string) => record(ctx, about('contact.unsubscribed', row, { source }));

export function tellUpdated(ctx: Ctx, row: Row, before: Row): void {
  const previous = {
    ...(row.attributes === before.attributes ? {} : { attributes: before.attributes }),
    ...(row.global_status === before.global_status ? {} : { global_status: before.global_status }),
    updated_at: before.updated_at.toISOString(),
  };
  record(ctx, { ...about('contact.updated', row), previous });
}

export function tellLeadStatus(ctx: Ctx, row: Row, before: Row, campaignId: string | null): void {
  const previous = leadStatusOf(attributesOf(before));
  const told = about('contact.lead_status_changed', row, { previous_lead_status: previous, campaign_id: campaignId });
  record(ctx, { ...told, previous: { lead_status: previous, updated_at: before.updated_at.toISOString() } });
}
