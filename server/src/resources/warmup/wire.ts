import { z } from 'zod';
import { Id, Timestamp, shown } from '#web/wire.ts';
import type { Statistics } from './statistics.ts';

const counts = {
  sent: z.int().meta({ description: 'Warm-up mails that left by it.' }),
  received: z.int().meta({ description: 'Warm-up mails that came to it, on the day on which they came.' }),
  landed_in_inbox: z.int().meta({ description: 'Of those that left: found in the inbox of their recipient.' }),
  landed_in_junk: z.int().meta({ description: 'Of those that left: found in Junk.' }),
  rescued: z.int().meta({ description: 'Of those in Junk: moved to the inbox by their recipient.' }),
  answered: z.int().meta({ description: 'Of those that left: answered.' }),
};

export const InboxWarmup = z
  .object({
    object: z.literal('inbox_warmup'),
    inbox_id: Id('inb'),
    enabled: z.boolean(),
    started_at: Timestamp.nullable().meta({ description: 'When it joined the pool; null while it does not belong to it.' }),
    ramp_day: z.int().nullable().meta({ description: 'The day of its ramp, counted from 1.' }),
    daily_limit: z
      .int()
      .meta({ description: "Warm-up mails that it may send today: its ramp, the operator's limit, at most half of the day's cap." }),
    sent_today: z.int(),
    totals: z.object(counts),
    days: z.array(z.object({ date: z.string().meta({ example: '2030-01-07' }), ...counts })).meta({
      description: 'The last thirty days by its calendar, oldest first.',
    }),
  })
  .meta({ id: 'InboxWarmup' });

export const presentWarmup = ({ inbox, rampDay, limit, sentToday, totals, days }: Statistics): z.input<typeof InboxWarmup> => ({
  object: 'inbox_warmup',
  inbox_id: inbox.id,
  enabled: inbox.warmup_enabled,
  started_at: shown(inbox.warmup_started_at),
  ramp_day: rampDay,
  daily_limit: limit,
  sent_today: sentToday,
  totals,
  days,
});
