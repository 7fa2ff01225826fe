import { z } from 'zod';
import { Id, Timestamp, shown } from '#web/wire.ts';
import type { Budget } from './budget.ts';
import { effectiveDailyLimit } from './rules.ts';
import { InboxStatus } from './wire.ts';

export const InboxBudget = z
  .object({
    object: z.literal('inbox_budget'),
    inbox_id: Id('inb'),
    status: InboxStatus,
    date: z.string().meta({ description: "The sending day, in the inbox's time zone.", example: '2030-01-07' }),
    timezone: z.string(),
    day_started_at: Timestamp,
    day_resets_at: Timestamp.meta({ description: 'When the count begins anew.' }),
    daily_limit: z.int(),
    effective_daily_limit: z.int().meta({ description: "Today's cap, the ramp reckoned with." }),
    used: z.int().meta({ description: 'Units taken today. Replies take one each, even beyond the cap.' }),
    left: z.int(),
    next_free_at: Timestamp.nullable().meta({ description: 'When the inbox may send next, by cap and gap; null while its status forbids it.' }),
    units: z
      .array(z.object({ unit: z.int(), send_id: Id('snd').nullable() }))
      .meta({ description: 'Which send took which unit of the day, null for a mail of the warm-up: none is taken twice.' }),
  })
  .meta({ id: 'InboxBudget' });

export const presentBudget = ({ inbox, day, left, nextFreeAt, units }: Budget, now: Date): z.input<typeof InboxBudget> => ({
  object: 'inbox_budget',
  inbox_id: inbox.id,
  status: inbox.status,
  date: Temporal.Instant.fromEpochMilliseconds(day.day_started_at.getTime()).toZonedDateTimeISO(inbox.timezone).toPlainDate().toString(),
  timezone: inbox.timezone,
  day_started_at: day.day_started_at.toISOString(),
  day_resets_at: day.day_resets_at.toISOString(),
  daily_limit: inbox.daily_limit,
  effective_daily_limit: effectiveDailyLimit(inbox, now),
  used: day.day_count,
  left,
  next_free_at: shown(nextFreeAt),
  units: units.map(({ unit, send_id }) => ({ unit, send_id })),
});
