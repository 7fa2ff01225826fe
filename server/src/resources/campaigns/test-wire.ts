// The body of POST /v1/campaigns/{id}/test_send.
import { z } from 'zod';
import { MAX_STEPS } from '#resources/sequences/index.ts';
import { Email, Ref } from '#web/wire.ts';

export const TestSendBody = z
  .strictObject({
    to: Email.meta({ description: 'Who gets it: you, or a colleague.' }),
    step_id: Ref('cst', 'step').optional().meta({ description: 'A step of this campaign; this or step_order.' }),
    step_order: z
      .int()
      .min(0)
      .max(MAX_STEPS - 1)
      .optional()
      .meta({ description: 'The position of the step, from 0; this or step_id.' }),
    variant_id: z.string().max(40).nullable().optional().meta({
      description: "A variant of the step, a disabled one too; null for the step's own text. Default: the winner, else the step's own text.",
    }),
    contact_id: Ref('con', 'contact').optional().meta({
      description: 'Whose data fills the variables. Default: the contact with the address in `to`, if there is one. Nothing happens to it.',
    }),
    inbox_id: Ref('inb', 'inbox').optional().meta({ description: 'One of the inboxes of the campaign. Default: the first that can send.' }),
  })
  .refine((one) => one.step_id !== undefined || one.step_order !== undefined, {
    message: 'Say which step: step_id or step_order.',
    path: ['step_id'],
    params: { code: 'parameter_missing' },
  })
  .refine((one) => one.step_id === undefined || one.step_order === undefined, {
    message: 'Give step_id or step_order, not both.',
    path: ['step_order'],
  });
export type TestSendBody = z.output<typeof TestSendBody>;
