import { newId } from '#platform/ids.ts';
import { Refusal } from '#platform/refusal.ts';
import { json } from '#store/db.ts';
import { byIds } from '#resources/inboxes/index.ts';
import { sequenceById, stepsOf } from '#resources/sequences/index.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';
import type { NewCampaign } from './wire.ts';

/** Make a campaign in `draft`, with its own copy of the sequence's steps. */
export async function createCampaign(ctx: Ctx, wanted: NewCampaign): Promise<store.Row> {
  const sequence = await sequenceById(ctx, wanted.sequence_id);
  if (!sequence) throw new Refusal('resource_missing', 'No such sequence.', { param: 'sequence_id' });
  const steps = await stepsOf(ctx, sequence.id);
  if (steps.length === 0) throw new Refusal('validation_failed', 'This sequence has no steps.', { param: 'sequence_id' });
  await assertInboxes(ctx, wanted.sending_inbox_ids);
  const id = newId(ctx, 'cmp');
  const row = await store.insert(ctx, {
    id, name: wanted.name, status: 'draft', sequence_id: sequence.id, schedule: json(wanted.schedule),
    sending_inbox_ids: [...new Set(wanted.sending_inbox_ids)], sending_inbox_tags: [...new Set(wanted.sending_inbox_tags)],
    track_opens: wanted.track_opens, track_clicks: wanted.track_clicks, inject_unsubscribe_footer: wanted.inject_unsubscribe_footer,
    send_status: null, send_status_at: null, paused_reason: null, next_plan_at: null, created_at: ctx.now, updated_at: ctx.now,
  }); // prettier-ignore
  await store.insertSteps(ctx, steps.map((step) => ({
    id: newId(ctx, 'cst'), campaign_id: id, source_step_id: step.id, step_order: step.step_order, delay_minutes: step.delay_minutes,
    subject: step.subject, body_html: step.body_html, body_text: step.body_text,
    variants: step.variants === null ? null : json(step.variants), winning_variant_id: step.winning_variant_id,
  }))); // prettier-ignore
  return row;
}

async function assertInboxes(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const known = new Set((await byIds(ctx, ids)).filter((inbox) => inbox.status !== 'revoked').map((inbox) => inbox.id));
  const missing = ids.findIndex((id) => !known.has(id));
  if (missing >= 0) throw new Refusal('resource_missing', 'No such inbox.', { param: `sending_inbox_ids[${missing}]` });
}
