import { Refusal } from '#platform/refusal.ts';
import { type Inbox, byIds, withAnyTag } from '#resources/inboxes/index.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Row } from './store.ts';

/** Refuse, by its place, an inbox that is not there any more or never was. */
export async function assertInboxes(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const known = new Set((await byIds(ctx, ids)).filter((inbox) => inbox.status !== 'revoked').map((inbox) => inbox.id));
  const missing = ids.findIndex((id) => !known.has(id));
  if (missing >= 0) throw new Refusal('resource_missing', 'No such inbox.', { param: `sending_inbox_ids[${missing}]` });
}

/** The inboxes of a campaign, by id or by tag, each once and in id order, whatever their state. */
export async function inboxesOf(ctx: Ctx, campaign: Pick<Row, 'sending_inbox_ids' | 'sending_inbox_tags'>): Promise<Inbox[]> {
  const all = [...(await byIds(ctx, campaign.sending_inbox_ids)), ...(await withAnyTag(ctx, campaign.sending_inbox_tags))];
  return [...new Map(all.map((inbox) => [inbox.id, inbox])).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
