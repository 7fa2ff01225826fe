import { z } from 'zod';
import { BatchRows, batchResultOf } from '#web/batch.ts';
import { Email, Id, Mode, PageQuery, Timestamp } from '#web/wire.ts';
import type { Row } from './store.ts';

const Reason = z.enum(['unsubscribe', 'hard_bounce', 'manual']).meta({ id: 'SuppressionReason' });

export const Suppression = z
  .object({
    id: Id('sup'),
    object: z.literal('suppression'),
    mode: Mode,
    email: z.string(),
    reason: Reason,
    source_send_id: Id('snd').nullable().meta({ description: 'The send whose bounce or unsubscribe link led here.' }),
    created_at: Timestamp,
  })
  .meta({ id: 'Suppression' });

export const NewSuppression = z.strictObject({ email: Email, reason: Reason.default('manual') });
export const SuppressionBatch = z.strictObject({ suppressions: BatchRows });
export const SuppressionBatchResult = batchResultOf(Suppression).meta({ id: 'SuppressionBatchResult' });
export const SuppressionQuery = PageQuery.extend({ email: Email.optional(), reason: Reason.optional() });

export const present = (row: Row): z.input<typeof Suppression> => ({
  id: row.id,
  object: 'suppression',
  mode: row.mode,
  email: row.email,
  reason: row.reason,
  source_send_id: row.source_send_id,
  created_at: row.created_at.toISOString(),
});
