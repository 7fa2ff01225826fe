import { z } from 'zod';
import { EnrollmentStatus } from '#resources/enrollments/index.ts';
import { Id, Timestamp, shown } from '#web/wire.ts';
import type { Explained } from './explain.ts';
import { GATES } from './gates.ts';

const Gate = z
  .object({
    gate: z.enum(GATES),
    passes: z.boolean(),
    value: z.string().nullable().meta({ description: 'What was looked at.' }),
    because: z.string().meta({ description: 'In a sentence.' }),
    until: Timestamp.nullable().meta({ description: 'When time alone opens it; null where it is open, or something else must happen.' }),
  })
  .meta({ id: 'CampaignContactGate' });

export const Explanation = z
  .object({
    object: z.literal('campaign_contact_explanation'),
    campaign_id: Id('cmp'),
    contact_id: Id('con'),
    status: EnrollmentStatus,
    current_step: z.int(),
    eligible: z.boolean().meta({ description: 'The planner, asked at this moment, writes down the next mail: every gate is open.' }),
    blocked_by: z.enum(GATES).nullable().meta({ description: 'The first gate that is shut.' }),
    next_eligible_at: Timestamp.nullable().meta({
      description: 'When all shut gates have opened by time alone; null when one of them needs something else, or it is only not its turn.',
    }),
    gates: z.array(Gate).meta({ description: 'Every gate, in the order in which they are asked.' }),
    as_of: Timestamp,
  })
  .meta({ id: 'CampaignContactExplanation' });

export const presentExplanation = (of: Explained): z.input<typeof Explanation> => ({
  object: 'campaign_contact_explanation',
  campaign_id: of.campaignId,
  contact_id: of.contactId,
  status: of.status as z.input<typeof EnrollmentStatus>,
  current_step: of.currentStep,
  eligible: of.eligible,
  blocked_by: of.gates.find((one) => !one.passes)?.gate ?? null,
  next_eligible_at: shown(of.nextEligibleAt),
  gates: of.gates.map((one) => ({ ...one, until: shown(one.until) })),
  as_of: of.asOf.toISOString(),
});
