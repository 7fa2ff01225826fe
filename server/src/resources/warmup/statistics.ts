// What came of the warm-up, inbox by inbox and day by day; counted in the commit that brings it about.
import { found } from '#platform/refusal.ts';
import { rowsOf } from '#store/db.ts';
import { type Inbox, byIds } from '#resources/inboxes/index.ts';
import type { Ctx, World } from '#world/ctx.ts';
import { dayName, rampDay, warmupLimit } from './rules.ts';

export const COUNTS = ['sent', 'received', 'landed_in_inbox', 'landed_in_junk', 'rescued', 'answered'] as const;
export type Counts = Record<(typeof COUNTS)[number], number>;
export type Tally = { workspaceId: string; inboxId: string; day: string; what: keyof Counts };

const NOTHING: Counts = { sent: 0, received: 0, landed_in_inbox: 0, landed_in_junk: 0, rescued: 0, answered: 0 };
const DAYS_SHOWN = 30;

/** Count each once, in the caller's transaction. The rows are written in one order, so that two who count do not wait for each other in a circle. */
export async function count({ db }: World, tallies: readonly Tally[]): Promise<void> {
  const column = (name: keyof Counts) => `count(*) filter (where what = '${name}')::int as ${name}`;
  await rowsOf(
    db,
    `insert into warmup_days as d (workspace_id, inbox_id, day, ${COUNTS.join(', ')})
     select workspace_id, inbox_id, day, ${COUNTS.map(column).join(', ')}
       from unnest($1::text[], $2::text[], $3::date[], $4::text[]) as t (workspace_id, inbox_id, day, what)
      group by 1, 2, 3 order by 1, 2, 3
     on conflict (workspace_id, inbox_id, day) do update set ${COUNTS.map((name) => `${name} = d.${name} + excluded.${name}`).join(', ')}`,
    [tallies.map((one) => one.workspaceId), tallies.map((one) => one.inboxId), tallies.map((one) => one.day), tallies.map((one) => one.what)],
  );
}

export type Statistics = {
  inbox: Inbox;
  rampDay: number | null;
  limit: number;
  sentToday: number;
  totals: Counts;
  /** Oldest first, the last thirty days of the inbox's calendar, today among them. */
  days: ({ date: string } & Counts)[];
};

/** The warm-up of an inbox: where its ramp stands, and what came of its mails. */
export async function statisticsOf(ctx: Ctx, inboxId: string): Promise<Statistics> {
  const inbox = found((await byIds(ctx, [inboxId]))[0], 'inbox');
  const rows = await rowsOf<Counts & { day: string }>(
    ctx.db,
    `select day, ${COUNTS.join(', ')} from warmup_days where workspace_id = $1 and inbox_id = $2 order by day`,
    [ctx.workspaceId, inboxId],
  );
  const byDay = new Map(rows.map(({ day, ...counts }) => [day, counts]));
  const today = Temporal.PlainDate.from(dayName(ctx.now, inbox.timezone));
  const days = Array.from({ length: DAYS_SHOWN }, (_, i) => {
    const date = today.subtract({ days: DAYS_SHOWN - 1 - i }).toString();
    return { date, ...(byDay.get(date) ?? NOTHING) };
  });
  const total = (name: keyof Counts) => rows.reduce((sum, row) => sum + row[name], 0);
  return {
    inbox,
    rampDay: rampDay(inbox, ctx.now),
    limit: warmupLimit(inbox, ctx.now, ctx.config.WARMUP_DAILY_LIMIT),
    sentToday: days.at(-1)!.sent,
    totals: Object.fromEntries(COUNTS.map((name) => [name, total(name)])) as Counts,
    days,
  };
}
