import { z } from 'zod';
import { Id, Mode, Name, PageQuery, Prose, Timestamp } from '#web/wire.ts';
import { MAX_STEPS, type Step } from './rules.ts';
import { NewStep, presentStep, stepFields } from './step-wire.ts';
import type { Counted } from './store.ts';

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

export const presentDeletedStep = (sequenceId: string, step: Step): z.input<typeof DeletedStep> => ({ ...presentOwnStep(sequenceId, step), deleted: true });

export const presentWhole = ({ row, steps }: { row: Counted; steps: readonly Step[] }): z.input<typeof Sequence> => ({
  ...present(row),
  steps: steps.map((step) => presentOwnStep(row.id, step)),
});
