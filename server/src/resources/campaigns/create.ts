import { newId } from '#platform/ids.ts';
import { Refusal } from '#platform/refusal.ts';
import { json } from '#store/db.ts';
import { lockSequence, stepsOf } from '#resources/sequences/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { assertInboxes } from './sending-inboxes.ts';
import * as store from './store.ts';
import type { NewCampaign } from './wire.ts';

/** Make a campaign in `draft`, with its own copy of the sequence's steps. */
export async function createCampaign(ctx: Ctx, wanted: NewCampaign): Promise<store.Row> {
  const sequence = await lockSequence(ctx, wanted.sequence_id);
  if (!sequence) throw new Refusal('resource_missing', 'No such sequence.', { param: 'sequence_id' });
  const steps = await stepsOf(ctx, sequence.id);
  if (steps.length === 0) throw new Refusal('validation_failed', 'This sequence has no steps.', { param: 'sequence_id' });
  await assertInboxes(ctx, wanted.sending_inbox_ids);
  const id = newId(ctx, 'cmp');
  const row = await store.insert(ctx, {
    id, name: wanted.name, status: 'draft', sequence_id: sequence.id, schedule: json(wanted.schedule),
    sending_inbox_ids: [...new Set(wanted.sending_inbox_ids)], sending_inbox_tags: [...new Set(wanted.sending_inbox_tags)],
    track_opens: wanted.track_opens, track_clicks: wanted.track_clicks, inject_unsubscribe_footer: wanted.inject_unsubscribe_footer,
    send_status: null, send_status_at: null, paused_reason: null, next_plan_at: null, edited_at: null,
    hard_bounces: 0, bounces_from: null, sends_known: 0, pace: json({}), created_at: ctx.now, updated_at: ctx.now,
  }); // prettier-ignore
  await store.insertSteps(ctx, steps.map((step) => ({ step, stepId: newId(ctx, 'cst') })).map(({ step, stepId }) => ({
    id: stepId, campaign_id: id, source_step_id: step.id, step_order: step.step_order, delay_minutes: step.delay_minutes,
    subject: step.subject, body_html: step.body_html, body_text: step.body_text,
    variants: step.variants === null ? null : json(step.variants), 
    // The step's own text, where that has won, goes by the step's id.
    winning_variant_id: step.winning_variant_id === step.id ? stepId : step.winning_variant_id,
    auto_winner: step.auto_winner === null ? null : json(step.auto_winner),
  }))); // prettier-ignore
  return row;
}
