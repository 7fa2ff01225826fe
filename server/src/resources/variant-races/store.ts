import type { Selectable } from 'kysely';
import { rowsOf } from '#store/db.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx, World } from '#world/ctx.ts';

export type Counts = Selectable<Tables['variant_counts']>;
/** Something happened to a send. `nth` is that of the hit, 0 otherwise. */
export type Mark = { workspace_id: string; send_id: string; kind: 'sent' | 'replied' | 'opened' | 'clicked' | 'unclicked'; nth: number };

/** An answer that asks for no further mail recommends no text. */
const IS_ANSWER = `m.classification = 'reply' and m.verdict_rule <> 'person.opt_out'`;

/**
 * Put down what happened to these sends, in the same commit: of those whose step has an open race, the others are passed over. Each send counts as
 * answered once: with its first answer, which the caller has stored.
 */
export async function markAll(world: World, marks: readonly Mark[]): Promise<void> {
  if (marks.length === 0) return;
  await rowsOf(
    world.db,
    `insert into variant_marks (workspace_id, mode, campaign_id, campaign_step_id, send_id, kind, nth, variant_id)
     select s.workspace_id, s.mode, s.campaign_id, s.campaign_step_id, s.id, t.kind, t.nth, coalesce(s.variant_id, '')
       from unnest($1::text[], $2::text[], $3::text[], $4::int[]) as t (workspace_id, send_id, kind, nth)
       join sends s on s.workspace_id = t.workspace_id and s.id = t.send_id
       join campaign_steps st on st.workspace_id = s.workspace_id and st.id = s.campaign_step_id
      where st.auto_winner is not null and st.variants is not null and st.winning_variant_id is null
        and (t.kind <> 'replied' or (select count(*) from (select from messages m
              where m.workspace_id = s.workspace_id and m.matched_send_id = s.id and m.matched_send_id > '' and ${IS_ANSWER} limit 2) as answers) = 1)
     on conflict do nothing`,
    [marks.map((one) => one.workspace_id), marks.map((one) => one.send_id), marks.map((one) => one.kind), marks.map((one) => one.nth)],
  );
}

/** Count what was put down for a campaign, which the caller has locked. Answers the steps that it was about. */
export async function takeMarks(ctx: Ctx, campaignId: string): Promise<string[]> {
  const rows = await rowsOf<{ id: string }>(
    ctx.db,
    `with taken as (
       delete from variant_marks where workspace_id = $1 and campaign_id = $2 returning campaign_step_id, variant_id, kind
     ), counted as (
       insert into variant_counts as c (workspace_id, campaign_step_id, variant_id, sent, replied, opened, clicked)
       select $1, t.campaign_step_id, t.variant_id, count(*) filter (where kind = 'sent'), count(*) filter (where kind = 'replied'),
              count(*) filter (where kind = 'opened'), count(*) filter (where kind = 'clicked') - count(*) filter (where kind = 'unclicked')
         from taken t join campaign_steps st on st.workspace_id = $1 and st.id = t.campaign_step_id
        where t.kind <> 'judge' group by t.campaign_step_id, t.variant_id
       on conflict (workspace_id, campaign_step_id, variant_id) do update
          set sent = c.sent + excluded.sent, replied = c.replied + excluded.replied,
              opened = c.opened + excluded.opened, clicked = c.clicked + excluded.clicked
     )
     select distinct campaign_step_id as id from taken`,
    [ctx.workspaceId, campaignId],
  );
  return rows.map((row) => row.id);
}

export const countsOf = (ctx: Ctx, stepIds: readonly string[]): Promise<Counts[]> =>
  rowsOf(ctx.db, 'select * from variant_counts where workspace_id = $1 and campaign_step_id = any($2)', [ctx.workspaceId, stepIds]);

/**
 * Count these steps from the mails themselves, because their races begin anew, and have them judged. Costs what the campaign has sent, so only an
 * edit asks for it. The caller has locked the campaign.
 */
export async function recount(ctx: Ctx, campaignId: string, stepIds: readonly string[]): Promise<void> {
  if (stepIds.length === 0) return;
  const those = [ctx.workspaceId, campaignId, stepIds];
  await rowsOf(ctx.db, 'delete from variant_counts where workspace_id = $1 and $2::text is not null and campaign_step_id = any($3)', those);
  // One statement: what commits meanwhile is seen here or marked for the next look, but for the few mails in hand when an edit opens a race.
  await rowsOf(
    ctx.db,
    `with gone as (
       delete from variant_marks where workspace_id = $1 and campaign_id = $2 and campaign_step_id = any($3) and kind <> 'judge'
     ), judged as (
       insert into variant_marks (workspace_id, mode, campaign_id, campaign_step_id, send_id, kind, nth, variant_id)
       select $1, $4, $2, id, '', 'judge', 0, '' from unnest($3::text[]) as t (id) on conflict do nothing
     )
     insert into variant_counts (workspace_id, campaign_step_id, variant_id, sent, replied, opened, clicked)
     select $1, s.campaign_step_id, coalesce(s.variant_id, ''), count(*),
            count(*) filter (where exists (
              select from messages m where m.workspace_id = s.workspace_id and m.matched_send_id = s.id and m.matched_send_id > '' and ${IS_ANSWER})),
            count(*) filter (where exists (select from hits h
              where h.workspace_id = s.workspace_id and h.send_id = s.id and h.kind = 'open' and h.is_first)),
            count(*) filter (where exists (select from hits h
              where h.workspace_id = s.workspace_id and h.send_id = s.id and h.kind = 'click' and h.is_first))
       from sends s
      where s.workspace_id = $1 and s.campaign_id = $2 and s.canceled_at is null and s.campaign_step_id = any($3) and s.state = 'sent'
      group by s.campaign_step_id, coalesce(s.variant_id, '')`,
    [...those, ctx.mode],
  );
}

/** What a campaign that is deleted leaves. */
export const forgetMarks = (ctx: Ctx, campaignId: string) =>
  rowsOf(ctx.db, 'delete from variant_marks where workspace_id = $1 and campaign_id = $2', [ctx.workspaceId, campaignId]);
