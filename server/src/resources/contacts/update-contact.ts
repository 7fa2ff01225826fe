import { Refusal, found } from '#platform/refusal.ts';
import type { Json } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';
import { tellLeadStatus, tellUnsubscribed, tellUpdated } from './happenings.ts';
import { type Attributes, LEAD_KEY, attributesFault, attributesOf, leadStatusOf, merged } from './rules.ts';
import * as store from './store.ts';

type Patch = { attributes?: Attributes | undefined; global_status?: store.Row['global_status'] | undefined };

/** Merge attributes and set the global status. A patch that changes nothing leaves no trace. */
export async function updateContact(ctx: Ctx, id: string, { attributes: patch = {}, global_status: status }: Patch): Promise<store.Row> {
  const before = found(await store.lock(ctx, id), 'contact');
  refuseLeadStatus(attributesOf(before), patch);
  const attributes = merged(attributesOf(before), patch);
  const fault = attributesFault(attributes);
  if (fault) throw new Refusal('validation_failed', fault, { param: 'attributes' });
  if (attributes === before.attributes && (status ?? before.global_status) === before.global_status) return before;
  const row = { ...before, attributes: attributes as Json, global_status: status ?? before.global_status, updated_at: ctx.now };
  await store.saveAll(ctx, [row]);
  tellUpdated(ctx, row, before);
  if (row.global_status === 'unsubscribed' && before.global_status !== 'unsubscribed') tellUnsubscribed(ctx, row, 'manual');
  if (leadStatusOf(attributes) !== leadStatusOf(attributesOf(before))) tellLeadStatus(ctx, row, before, null);
  return row;
}

/** A contact that was read may be sent back as it is, and the lead status may be cleared; setting it is the lead-status endpoint's part. */
function refuseLeadStatus(before: Attributes, patch: Attributes): void {
  const wanted = patch[LEAD_KEY];
  if (wanted === undefined || wanted === null || wanted === before[LEAD_KEY]) return;
  throw new Refusal('validation_failed', 'The lead status is set by POST /v1/contacts/{id}/lead_status.', { param: `attributes.${LEAD_KEY}` });
}
