// Moving enrollments on after their step was sent.
import { rowsOf } from '#store/db.ts';
import { type Enrollment, presentEnrollment } from '#resources/enrollments/index.ts';
import type { Bodiless } from '#resources/sends/index.ts';
import type { World } from '#world/ctx.ts';

export type Advanced = { id: string; shown: object };
type Step = { workspace_id: string; campaign_id: string; id: string; next_delay: number | null };

// The planner is woken for the time of the next step, or at once when there is none: the campaign may be complete. Only a row whose next look lies
// later is touched, so that thousands of sends do not queue for their campaign's row.
const WAKE = `
  update campaigns c set next_plan_at = t.at
    from (select s.workspace_id, s.campaign_id, min($4::timestamptz + coalesce(n.delay_minutes, 0) * interval '1 minute') as at
            from unnest($1::text[], $2::text[]) as mine (workspace_id, id)
            join sends s on s.workspace_id = mine.workspace_id and s.id = mine.id
            join campaign_steps st on st.workspace_id = s.workspace_id and st.id = s.campaign_step_id
            left join campaign_steps n on n.workspace_id = st.workspace_id and n.campaign_id = st.campaign_id and n.step_order = st.step_order + 1
           group by 1, 2 order by 1, 2) as t
   where c.workspace_id = t.workspace_id and c.id = t.campaign_id and c.status = 'running'
     and (c.next_plan_at is null or c.next_plan_at > t.at + $3 * interval '1 millisecond')`;

const STEPS = `
  select distinct st.workspace_id, st.campaign_id, st.id, n.delay_minutes as next_delay
    from unnest($1::text[], $2::text[]) as mine (workspace_id, id)
    join sends s on s.workspace_id = mine.workspace_id and s.id = mine.id
    join campaign_steps st on st.workspace_id = s.workspace_id and st.id = s.campaign_step_id
    left join campaign_steps n on n.workspace_id = st.workspace_id and n.campaign_id = st.campaign_id and n.step_order = st.step_order + 1`;

const ADVANCE = `
  update enrollments e
     set current_step = case when t.due is null then e.current_step else e.current_step + 1 end,
         status = case when t.due is null then 'finished' else e.status end,
         plan_due_at = t.due, next_send_at = t.due, updated_at = t.at,
         thread_subject = case when t.threaded then e.thread_subject else t.subject end,
         thread_message_ids = case when t.threaded then e.thread_message_ids else '{}' end || t.message_id
    from unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::boolean[], $6::text[], $7::text[])
         as t (workspace_id, id, due, at, threaded, subject, message_id)
   where e.workspace_id = t.workspace_id and e.id = t.id and e.status = 'active'
  returning e.*`;

const WAKE_SLACK_MS = 500;

/** After `sent`: next step and its due time, or `finished`. Answers what moved, by workspace and enrollment. An enrollment that ended meanwhile stays so. */
export async function advanceEnrollments(world: World, sent: readonly Bodiless[], steps: readonly Step[]): Promise<Map<string, Advanced>> {
  const nextDelay = new Map(steps.map((step) => [`${step.workspace_id} ${step.id}`, step.next_delay]));
  const led = sent.filter((send) => send.enrollment_id !== null);
  if (led.length === 0) return new Map();
  const dueOf = (send: Bodiless) => {
    const minutes = nextDelay.get(`${send.workspace_id} ${send.campaign_step_id}`) ?? null;
    return minutes === null ? null : new Date(send.sent_at!.getTime() + minutes * 60_000);
  };
  const moved = await rowsOf<Enrollment>(world.db, ADVANCE, [
    led.map((send) => send.workspace_id),
    led.map((send) => send.enrollment_id),
    led.map(dueOf),
    led.map((send) => send.sent_at),
    led.map((send) => send.in_reply_to !== null),
    led.map((send) => send.subject),
    led.map((send) => send.rfc822_message_id),
  ]);
  return new Map(moved.map((row) => [`${row.workspace_id} ${row.id}`, { id: row.id, shown: presentEnrollment(row) }]));
}

/** Before any lock on enrollments: wake the planner of the campaigns concerned and look up what their next steps are. */
export async function wakePlanners(world: World, workspaceIds: readonly string[], ids: readonly string[]): Promise<Step[]> {
  await rowsOf(world.db, WAKE, [workspaceIds, ids, WAKE_SLACK_MS, world.clock.now()]);
  return rowsOf<Step>(world.db, STEPS, [workspaceIds, ids]);
}
