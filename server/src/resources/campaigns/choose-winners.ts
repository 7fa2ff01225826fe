// The end of a race between the variants of a step: judged before the planner writes the next sends.
import { rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import { waitingWithOtherText } from '#resources/sends/index.ts';
import { type AutoWinner, type Variant, openTexts } from '#resources/sequences/index.ts';
import { type Arm, countsOf, isRacing, takeMarks, winnerOf } from '#resources/variant-races/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { planAnewOf } from './edit.ts';
import * as store from './store.ts';
import { present } from './wire.ts';

const COUNTED = { reply: 'replied', open: 'opened', click: 'clicked' } as const;

type Won = { step: store.Step; metric: AutoWinner['metric']; arms: Arm[]; winner: string };

/**
 * Count what has happened since the last look at a campaign, which the caller has locked, and end the races that are decided by it. What was
 * planned with a text that has lost is planned anew. Answers whether a race was decided; the campaign is looked at again at once then.
 */
export async function chooseWinners(ctx: Ctx, campaign: store.Row): Promise<boolean> {
  const touched = new Set(await takeMarks(ctx, campaign.id));
  if (touched.size === 0) return false;
  const racing = (await store.steps(ctx, campaign.id)).filter((step) => touched.has(step.id) && isRacing(withWish(step)));
  const counts = await countsOf(ctx, racing.map((step) => step.id)); // prettier-ignore
  const won = racing.flatMap((step): Won[] => {
    const { metric, min_sends: minSends } = withWish(step).auto_winner!;
    const arms = openTexts({ ...step, variants: step.variants as Variant[] }).map(({ variantId }): Arm => {
      const row = counts.find((one) => one.campaign_step_id === step.id && one.variant_id === (variantId ?? ''));
      return { id: variantId ?? step.id, sent: row?.sent ?? 0, hits: row?.[COUNTED[metric]] ?? 0 };
    });
    const winner = winnerOf(arms, minSends);
    return winner === null ? [] : [{ step, metric, arms, winner }];
  });
  if (won.length === 0) return false;
  const waiting: string[] = [];
  for (const { step, winner } of won) {
    await rowsOf(ctx.db, 'update campaign_steps set winning_variant_id = $3 where workspace_id = $1 and id = $2', [ctx.workspaceId, step.id, winner]);
    waiting.push(...(await waitingWithOtherText(ctx, campaign.id, step.id, winner === step.id ? null : winner)));
  }
  // All at once, since its locks reach behind those of the enrollments.
  await planAnewOf(ctx, waiting);
  // What a worker holds with a text of before must not leave either.
  const row = await store.update(ctx, campaign.id, { edited_at: ctx.now, next_plan_at: ctx.now });
  for (const one of won) record(ctx, { type: 'campaign.winner_chosen', resourceId: row.id, ...toldOf(row, one) });
  return true;
}

const withWish = (step: store.Step) => ({ ...step, auto_winner: step.auto_winner as AutoWinner | null });

const toldOf = (row: store.Row, { step, metric, arms, winner }: Won) => ({
  data: {
    ...present(row),
    step_id: step.id,
    step_order: step.step_order,
    winning_variant_id: winner,
    metric,
    results: arms.map(({ id, sent, hits }) => ({ variant_id: id, sent, hits })),
  },
  previous: { winning_variant_id: null },
});
