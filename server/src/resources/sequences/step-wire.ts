// The form of a step, in a sequence and in a campaign.
import { z } from 'zod';
import { Line, Prose } from '#web/wire.ts';
import { MAX_DELAY_MINUTES, MAX_STEPS, MAX_VARIANTS, type Step, delayDays } from './rules.ts';

const subject = Line(998);
const body = Prose(500_000);

const VariantBody = z.strictObject({
  id: z.string().max(40).optional().meta({ description: 'Of a variant that the step has, to keep it; without one the variant is new.' }),
  subject: subject.default(''),
  body_html: body.default(''),
  body_text: body.default(''),
  disabled: z.boolean().default(false),
});

const bodyFields = {
  step_order: z.int().min(0).max(MAX_STEPS).optional().meta({ description: '0-based. A new step goes before the one at this position; without it, to the end.' }),
  delay_days: z.int().min(0).max(delayDays(MAX_DELAY_MINUTES)).optional().meta({ description: 'Whole days; counts only without delay_minutes.' }),
  delay_minutes: z.int().min(0).max(MAX_DELAY_MINUTES).optional().meta({ description: 'Wait after the step before; of the first, after enrollment.' }),
  subject: subject.optional().meta({ description: 'May be blank on a follow-up, which then goes into the same thread.' }),
  body_html: body.optional(),
  body_text: body.optional(),
  variants: z.array(VariantBody).max(MAX_VARIANTS).nullable().optional().meta({ description: 'Replace the variants; null or empty ends the A/B test.' }),
  winning_variant_id: z.string().max(40).nullable().optional().meta({ description: 'Send this variant only.' }),
};
export const NewStep = z.strictObject(bodyFields);
export const StepPatch = z.strictObject(bodyFields);
export const ReorderBody = z.strictObject({ step_ids: z.array(z.string().max(40)).max(MAX_STEPS).meta({ description: 'Every step, in the new order.' }) });

const Variant = z
  .object({ id: z.string(), subject: z.string(), body_html: z.string(), body_text: z.string(), disabled: z.boolean() })
  .meta({ id: 'Variant' });

/** What an answer shows of any step, its id and owner apart. */
export const stepFields = {
  step_order: z.int(),
  delay_days: z.int().meta({ description: 'delay_minutes in whole days, rounded down.' }),
  delay_minutes: z.int(),
  subject: z.string(),
  body_html: z.string(),
  body_text: z.string(),
  variants: z.array(Variant).nullable(),
  winning_variant_id: z.string().nullable(),
};

/** `stepFields` of a step. */
export const presentStep = (step: Step) => ({
  step_order: step.step_order,
  delay_days: delayDays(step.delay_minutes),
  delay_minutes: step.delay_minutes,
  subject: step.subject,
  body_html: step.body_html,
  body_text: step.body_text,
  variants: step.variants,
  winning_variant_id: step.winning_variant_id,
});
