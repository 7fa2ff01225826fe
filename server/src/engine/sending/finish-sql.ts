// The statements of an accepted batch. Few, because each waits for its turn on a busy machine.
import { rowsOf } from '#store/db.ts';
import type { Enrollment } from '#resources/enrollments/index.ts';
import type { Bodiless } from '#resources/sends/index.ts';
import type { World } from '#world/ctx.ts';

/** An acceptance as it is written: whose, under which fence, when, in which words, and the id of the message that it becomes. */
export type AcceptedRow = {
  workspace_id: string;
  id: string;
  fence: number;
  at: Date;
  message_id: string;
  reply: { code: number; enhanced: string | null; text: string };
};
/** The step after the one that was sent: its wait in minutes, null when there is none. */
type NextStep = { workspace_id: string; id: string; next_delay: number | null };

// Campaigns, then enrollments: the order in which everybody locks. The planner is woken for the time of the next step, or at once when there
// is none, since the campaign may be complete; only a campaign that would look later is touched, so that thousands of sends do not queue for it.
const PREPARE = `
  with steps as materialized (
    select s.workspace_id, s.id, s.campaign_id, s.enrollment_id, n.delay_minutes as next_delay
      from unnest($1::text[], $2::text[]) as mine (workspace_id, id)
      join sends s on s.workspace_id = mine.workspace_id and s.id = mine.id and s.enrollment_id is not null
      join campaign_steps st on st.workspace_id = s.workspace_id and st.id = s.campaign_step_id
      left join campaign_steps n on n.workspace_id = st.workspace_id and n.campaign_id = st.campaign_id and n.step_order = st.step_order + 1
  ), woken as (
    update campaigns c set next_plan_at = t.at
      from (select workspace_id, campaign_id, min($3::timestamptz + coalesce(next_delay, 0) * interval '1 minute') as at
              from steps group by 1, 2 order by 1, 2) as t
     where c.workspace_id = t.workspace_id and c.id = t.campaign_id and c.status = 'running'
       and (c.next_plan_at is null or c.next_plan_at > t.at + $4 * interval '1 millisecond')
    returning 1
  ), locked as materialized (
    select e.id from enrollments e
     where (select count(*) from woken) >= 0 and (e.workspace_id, e.id) in (select workspace_id, enrollment_id from steps)
     order by e.workspace_id, e.id for no key update
  )
  select workspace_id, id, next_delay from steps where (select count(*) from locked) >= 0`;

const WAKE_SLACK_MS = 500;

/** Lock what an acceptance moves on, and answer what comes next for each send that belongs to a campaign. */
export function prepareAccepted(world: World, rows: readonly AcceptedRow[]): Promise<NextStep[]> {
  return rowsOf<NextStep>(world.db, PREPARE, [rows.map((one) => one.workspace_id), rows.map((one) => one.id), world.clock.now(), WAKE_SLACK_MS]);
}

// All but the bodies, which would be unpacked and carried over for nothing.
const COLUMNS = [
  'workspace_id', 'id', 'mode', 'inbox_id', 'to_email', 'to_email_key', 'to_name', 'subject', 'state', 'failure_reason', 'failure_detail',
  'provider_message_id', 'provider_thread_id', 'rfc822_message_id', 'in_reply_to', 'thread_references', 'is_reply', 'attempt_count', 'scheduled_at',
  'sent_at', 'canceled_at', 'created_at', 'metadata', 'campaign_id', 'contact_id', 'enrollment_id', 'campaign_step_id', 'variant_id', 'due_at',
  'fence', 'leased_until', 'dot_released_at', 'budget_day', 'budget_unit', 'reconcile_at',
].map((name) => `sends.${name}`).join(', '); // prettier-ignore

// One statement: what is not ours any more (another fence, another state) falls out of the first part, and so out of all that follows from it.
const WRITE = `
  with mine as materialized (
    select * from unnest($1::text[], $2::text[], $3::int[], $4::timestamptz[], $5::text[], $6::int[], $7::text[], $8::text[],
                         $9::boolean[], $10::int[])
      as t (workspace_id, id, fence, at, message_id, code, enhanced, words, is_led, next_delay)
  ), sent as (
    update sends set state = 'sent', sent_at = mine.at, leased_until = null, due_at = null, reconcile_at = null
      from mine where sends.workspace_id = mine.workspace_id and sends.id = mine.id and sends.fence = mine.fence and sends.state = 'sending'
    returning ${COLUMNS}
  ), attempts as (
    update send_attempts a set ended_at = mine.at, outcome = 'accepted', phase = 'dot', reply_code = mine.code, reply_enhanced = mine.enhanced,
           reply_text = mine.words
      from mine where a.workspace_id = mine.workspace_id and a.send_id = mine.id and a.attempt = mine.fence
  ), message as (
    insert into messages (workspace_id, id, mode, inbox_id, direction, thread_id, identity, rfc822_message_id, in_reply_to,
                          from_email, from_name, to_email, subject, created_at)
    select s.workspace_id, mine.message_id, s.mode, s.inbox_id, 'outbound', coalesce(s.provider_thread_id, s.rfc822_message_id), s.rfc822_message_id,
           s.rfc822_message_id, s.in_reply_to, i.email_address, i.display_name, s.to_email, s.subject, $11
      from sent s join mine on mine.workspace_id = s.workspace_id and mine.id = s.id
      join inboxes i on i.workspace_id = s.workspace_id and i.id = s.inbox_id
    on conflict (workspace_id, inbox_id, identity) do nothing
  ), moved as (
    update enrollments e
       set current_step = case when mine.next_delay is null then e.current_step else e.current_step + 1 end,
           status = case when mine.next_delay is null then 'finished' else e.status end,
           plan_due_at = s.sent_at + mine.next_delay * interval '1 minute', next_send_at = s.sent_at + mine.next_delay * interval '1 minute',
           updated_at = s.sent_at,
           thread_subject = case when s.in_reply_to is null then s.subject else e.thread_subject end,
           thread_message_ids = case when s.in_reply_to is null then '{}' else e.thread_message_ids end || s.rfc822_message_id
      from sent s join mine on mine.workspace_id = s.workspace_id and mine.id = s.id and mine.is_led
     where e.workspace_id = s.workspace_id and e.id = s.enrollment_id and e.status = 'active'
    returning e.*
  )
  select sent.*, to_jsonb(moved) as moved from sent left join moved on moved.workspace_id = sent.workspace_id and moved.id = sent.enrollment_id`;

/** A send that is now sent, and its enrollment where it has moved on (dates as text). */
export type SentRow = Bodiless & { moved: Enrollment | null };

/** Write acceptances with all that follows from them: state, attempt, message, next step. Answers the sends that were still ours. */
export function writeAccepted(world: World, rows: readonly AcceptedRow[], steps: readonly NextStep[]): Promise<SentRow[]> {
  const next = new Map(steps.map((step) => [`${step.workspace_id} ${step.id}`, step]));
  const stepOf = (row: AcceptedRow) => next.get(`${row.workspace_id} ${row.id}`);
  return rowsOf<SentRow>(world.db, WRITE, [
    rows.map((row) => row.workspace_id),
    rows.map((row) => row.id),
    rows.map((row) => row.fence),
    rows.map((row) => row.at),
    rows.map((row) => row.message_id),
    rows.map((row) => row.reply.code),
    rows.map((row) => row.reply.enhanced),
    rows.map((row) => row.reply.text),
    rows.map((row) => stepOf(row) !== undefined),
    rows.map((row) => stepOf(row)?.next_delay ?? null),
    world.clock.now(),
  ]);
}
