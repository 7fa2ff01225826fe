import { z } from 'zod';
import { Timestamp } from '#web/wire.ts';

export const MAX_ADVANCE_DAYS = 400;
const MAX_SECONDS = MAX_ADVANCE_DAYS * 86_400;

export const TestClock = z
  .object({
    object: z.literal('test_clock'),
    now: Timestamp,
    advanced_seconds: z.number().meta({ description: 'How far test mode is ahead of real time.', example: 0 }),
  })
  .meta({ id: 'TestClock' });

export const TestClockAdvance = z
  .object({
    object: z.literal('test_clock'),
    now: Timestamp,
    advanced_seconds: z.number().meta({ description: 'By how much this call has moved the clock.' }),
    processed: z.int().meta({ description: 'How many sends and reactions of recipients were carried out on the way.' }),
  })
  .meta({ id: 'TestClockAdvance' });

export const AdvanceBody = z.strictObject({
  to: z.iso.datetime({ offset: true }).optional().meta({ description: 'An instant later than the clock shows, at most 400 days.' }),
  seconds: z.int().min(1).max(MAX_SECONDS).optional(),
});
export type AdvanceWanted = z.output<typeof AdvanceBody>;
