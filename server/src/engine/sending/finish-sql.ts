// The statement of an accepted batch. One, because each waits for its turn on a busy machine.
import { rowsOf } from '#store/db.ts';
import type { Enrollment } from '#resources/enrollments/index.ts';
import type { Send } from '#resources/sends/index.ts';
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

const COLUMNS = [
  'workspace_id', 'id', 'mode', 'inbox_id', 'to_email', 'subject', 'state', 'failure_reason', 'failure_detail', 'provider_message_id',
  'provider_thread_id', 'rfc822_message_id', 'in_reply_to', 'attempt_count', 'scheduled_at', 'sent_at', 'canceled_at', 'created_at', 'metadata',
  'campaign_id', 'enrollment_id',
] as const satisfies readonly (keyof Send)[]; // prettier-ignore

const WAKE_SLACK_MS = 500;

// Locks are taken in the order in which everybody takes them: campaigns, enrollments, sends; each part asks first how many rows the part before it
// has. The planner is woken for the time of the next step, or at once when there is none, since the campaign may be complete; only a campaign that
// would look later is touched, so that thousands of sends do not queue for it.
// What is not ours any more (another fence, another state) falls out of `sent`, and so out of all that follows from it. Who was taken out of the
// campaign while the mail was on its way has had it all the same: put back in, it goes on behind it.
const WRITE = `
  with mine as materialized (
    select * from unnest($1::text[], $2::text[], $3::int[], $4::timestamptz[], $5::text[], $6::int[], $7::text[], $8::text[])
      as t (workspace_id, id, fence, at, message_id, code, enhanced, words)
  ), led as materialized (
    select distinct s.workspace_id, s.id, s.campaign_id, s.enrollment_id, s.campaign_step_id
      from mine join sends s on s.workspace_id = mine.workspace_id and s.id = mine.id and s.enrollment_id is not null
  ), steps as materialized (
    select led.*, n.delay_minutes as next_delay, st.auto_winner is not null and st.variants is not null and st.winning_variant_id is null as is_racing
      from led
      join campaign_steps st on st.workspace_id = led.workspace_id and st.id = led.campaign_step_id
      left join campaign_steps n on n.workspace_id = st.workspace_id and n.campaign_id = st.campaign_id and n.step_order = st.step_order + 1
  ), woken as (
    update campaigns c set next_plan_at = t.at
      from (select workspace_id, campaign_id, min($9::timestamptz + coalesce(next_delay, 0) * interval '1 minute') as at
              from steps group by 1, 2 order by 1, 2) as t
     where c.workspace_id = t.workspace_id and c.id = t.campaign_id and c.status = 'running'
       and (c.next_plan_at is null or c.next_plan_at > t.at + $10 * interval '1 millisecond')
    returning 1
  ), locked as materialized (
    select e.id from enrollments e
     where (select count(*) from woken) >= 0 and (e.workspace_id, e.id) in (select workspace_id, enrollment_id from steps)
     order by e.workspace_id, e.id for no key update
  ), sent as (
    update sends set state = 'sent', sent_at = mine.at, due_at = null
      from mine where (select count(*) from locked) >= 0
       and sends.workspace_id = mine.workspace_id and sends.id = mine.id and sends.fence = mine.fence and sends.state = 'sending'
    returning ${COLUMNS.map((name) => `sends.${name}`).join(', ')}, mine.message_id
  ), attempts as (
    update send_attempts a set ended_at = mine.at, leased_until = null, outcome = 'accepted', phase = 'dot',
           reply_code = mine.code, reply_enhanced = mine.enhanced, reply_text = mine.words
      from mine where a.workspace_id = mine.workspace_id and a.send_id = mine.id and a.attempt = mine.fence
  ), message as (
    insert into messages (workspace_id, id, mode, inbox_id, direction, thread_id, identity, rfc822_message_id, in_reply_to,
                          from_email, from_name, to_email, subject, created_at)
    select s.workspace_id, s.message_id, s.mode, s.inbox_id, 'outbound', coalesce(s.provider_thread_id, s.rfc822_message_id), s.rfc822_message_id,
           s.rfc822_message_id, s.in_reply_to, i.email_address, i.display_name, s.to_email, s.subject, $9
      from sent s join inboxes i on i.workspace_id = s.workspace_id and i.id = s.inbox_id
    on conflict (workspace_id, inbox_id, identity) do nothing
  ), moved as (
    update enrollments e
       set current_step = case when t.next_delay is null then e.current_step else e.current_step + 1 end,
           status = case when t.next_delay is null then 'finished' else e.status end,
           plan_due_at = case when e.status = 'active' then s.sent_at + t.next_delay * interval '1 minute' end,
           next_send_at = case when e.status = 'active' then s.sent_at + t.next_delay * interval '1 minute' end,
           updated_at = s.sent_at,
           thread_subject = case when s.in_reply_to is null then s.subject else e.thread_subject end,
           thread_message_ids = case when s.in_reply_to is null then '{}' else e.thread_message_ids end || s.rfc822_message_id
      from sent s join steps t on t.workspace_id = s.workspace_id and t.id = s.id
     where e.workspace_id = s.workspace_id and e.id = s.enrollment_id and e.status in ('active', 'removed')
    returning e.*
  )
  select ${COLUMNS.map((name) => `s.${name}`).join(', ')}, coalesce(t.is_racing, false) as is_racing, null::jsonb as moved
    from sent s left join steps t on t.workspace_id = s.workspace_id and t.id = s.id
  union all
  select ${COLUMNS.map(() => 'null').join(', ')}, null, to_jsonb(moved) from moved`;

/** A send that is now sent, and whether the variants of its step race. */
export type SentRow = Pick<Send, (typeof COLUMNS)[number]> & { is_racing: boolean };
type Written = (SentRow & { moved: null }) | ({ moved: Enrollment } & { [K in keyof SentRow]: null });

/**
 * Write acceptances with all that follows from them: state, attempt, message, next step. Answers the sends that were still ours, and the
 * enrollments that have moved on with them (dates as text).
 */
export async function writeAccepted(world: World, rows: readonly AcceptedRow[]) {
  const written = await rowsOf<Written>(world.db, WRITE, [
    rows.map((row) => row.workspace_id),
    rows.map((row) => row.id),
    rows.map((row) => row.fence),
    rows.map((row) => row.at),
    rows.map((row) => row.message_id),
    rows.map((row) => row.reply.code),
    rows.map((row) => row.reply.enhanced),
    rows.map((row) => row.reply.text),
    world.clock.now(),
    WAKE_SLACK_MS,
  ]);
  return { sent: written.flatMap((row) => (row.moved === null ? row : [])), moved: written.flatMap((row) => row.moved ?? []) };
}
