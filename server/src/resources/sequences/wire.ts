import { z } from 'zod';
import { Id, Line, Mode, Name, PageQuery, Prose, Timestamp } from '#web/wire.ts';
import { MAX_DELAY_MINUTES, MAX_STEPS, MAX_VARIANTS, type Step, delayDays } from './rules.ts';
import type { Counted } from './store.ts';

const subject = Line(998);
const body = Prose(500_000);

const VariantBody = z.strictObject({
  id: z.string().max(40).optional().meta({ description: 'Of a variant that the step has, to keep it; without one the variant is new.' }),
  subject: subject.default(''),
  body_html: body.default(''),
  body_text: body.default(''),
  disabled: z.boolean().default(false),
});

const AutoWinner = z.strictObject({ metric: z.enum(['reply', 'click', 'open']), min_sends: z.int().min(1).max(1_000_000) });

const AUTO_WINNER = [
  "End the A/B test by itself: once the step's own text and each variant that is not disabled were sent min_sends times, the one with the highest",
  'share of mails that a person answered, clicked or opened becomes winning_variant_id, and stays it. While the best are level there is none.',
  'Needs variants.',
].join(' ');

const bodyFields = {
  step_order: z
    .int()
    .min(0)
    .max(MAX_STEPS)
    .optional()
    .meta({ description: '0-based. A new step goes before the one at this position; without it, to the end.' }),
  delay_days: z.int().min(0).max(delayDays(MAX_DELAY_MINUTES)).optional().meta({ description: 'Whole days; counts only without delay_minutes.' }),
  delay_minutes: z
    .int()
    .min(0)
    .max(MAX_DELAY_MINUTES)
    .optional()
    .meta({ description: 'Wait after the step before; of the first, after enrollment.' }),
  subject: subject.optional().meta({ description: 'May be blank on a follow-up, which then goes into the same thread.' }),
  body_html: body.optional(),
  body_text: body.optional(),
  variants: z
    .array(VariantBody)
    .max(MAX_VARIANTS)
    .nullable()
    .optional()
    .meta({ description: 'Replace the variants; null or empty ends the A/B test.' }),
  winning_variant_id: z
    .string()
    .max(40)
    .nullable()
    .optional()
    .meta({ description: "Send this variant only; the step's own id: its own text only. null: all of them, drawn evenly." }),
  auto_winner: AutoWinner.extend({ min_sends: AutoWinner.shape.min_sends.default(100) })
    .nullable()
    .optional()
    .meta({ description: AUTO_WINNER }),
};
export const NewStep = z.strictObject(bodyFields);
export const StepPatch = z.strictObject(bodyFields);
export const ReorderBody = z.strictObject({
  step_ids: z.array(z.string().max(40)).max(MAX_STEPS).meta({ description: 'Every step, in the new order.' }),
});

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
  auto_winner: AutoWinner.nullable(),
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
  auto_winner: step.auto_winner,
});

const shownStep = { id: Id('stp'), object: z.literal('sequence_step'), sequence_id: Id('seq'), ...stepFields };
export const SequenceStep = z.object(shownStep).meta({ id: 'SequenceStep' });
export const DeletedStep = z.object({ ...shownStep, deleted: z.literal(true) }).meta({ id: 'DeletedSequenceStep' });

export const Sequence = z
  .object({
    id: Id('seq'),
    object: z.literal('sequence'),
    mode: Mode,
    name: z.string(),
    description: z.string().nullable(),
    step_count: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp,
    steps: z.array(SequenceStep).optional().meta({ description: 'In their order; not in lists.' }),
  })
  .meta({ id: 'Sequence' });

export const SequenceQuery = PageQuery;
export const NewSequence = z.strictObject({
  name: Name(200),
  description: Prose(2000).nullable().default(null),
  steps: z.array(NewStep).max(MAX_STEPS).default([]),
});
export const SequencePatch = z.strictObject({ name: Name(200).optional(), description: Prose(2000).nullable().optional() });

export const present = (row: Counted): z.input<typeof Sequence> => ({
  id: row.id,
  object: 'sequence',
  mode: row.mode,
  name: row.name,
  description: row.description,
  step_count: row.step_count,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const presentOwnStep = (sequenceId: string, step: Step): z.input<typeof SequenceStep> => ({
  id: step.id,
  object: 'sequence_step',
  sequence_id: sequenceId,
  ...presentStep(step),
});

export const presentDeletedStep = (sequenceId: string, step: Step): z.input<typeof DeletedStep> => ({
  ...presentOwnStep(sequenceId, step),
  deleted: true,
});

export const presentWhole = ({ row, steps }: { row: Counted; steps: readonly Step[] }): z.input<typeof Sequence> => ({
  ...present(row),
  steps: steps.map((step) => presentOwnStep(row.id, step)),
});
