// The campaign's own copy of the steps, changed by the rules of sequences, while leads may be on their way through it.
import { newId } from '#platform/ids.ts';
import { Refusal } from '#platform/refusal.ts';
import { closeGap, postpone, stepsHad } from '#resources/enrollments/index.ts';
import { stepsLeaving } from '#resources/sends/index.ts';
import { type Edited, type Step, type StepBody, addStep, changeStep, removeStep, reorderSteps } from '#resources/sequences/index.ts';
import { isRacing, recount } from '#resources/variant-races/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { lockedForEdit, planAnew } from './edit.ts';
import * as store from './store.ts';

type Before = {
  steps: readonly Step[];
  /** This many steps, from the first on, keep their positions: leads have had them. */
  reached: number;
  /** Steps of which a mail is leaving at this moment. */
  leaving: ReadonlySet<string>;
};

/** Read the steps under the campaign's lock, edit them, write the difference, and see to the leads that wait for a step. */
async function edit<T extends { steps: Step[] }>(ctx: Ctx, id: string, change: (before: Before) => T | Promise<T>): Promise<T> {
  const campaign = await lockedForEdit(ctx, id);
  if (campaign.status === 'paused') await planAnew(ctx, id);
  const steps = await store.stepTable.of(ctx, id);
  const leaving = await stepsLeaving(ctx, id);
  const atWork = Math.max(0, ...steps.filter((step) => leaving.has(step.id)).map((step) => step.step_order + 1));
  const reached = Math.max(await stepsHad(ctx, id), atWork);
  const edited = await change({ steps, reached, leaving });
  await store.stepTable.save(ctx, id, steps, edited.steps);
  await store.update(ctx, id, { edited_at: ctx.now });
  const known = new Set(steps);
  await recount(ctx, id, edited.steps.filter((step) => !known.has(step) && isRacing(step)).map((step) => step.id)); // prettier-ignore
  if (edited.steps.length >= steps.length) await keepWaits(ctx, id, steps, edited.steps);
  return edited;
}

/** Whoever waits for a position whose wait has changed waits longer, or less. */
async function keepWaits(ctx: Ctx, id: string, before: readonly Step[], after: readonly Step[]): Promise<void> {
  for (const [position, old] of before.entries()) {
    const minutes = after[position]!.delay_minutes - old.delay_minutes;
    if (minutes !== 0) await postpone(ctx, id, { position, minutes });
  }
}

const ids = (ctx: Ctx, id: string) => ({ id, mintVariant: () => newId(ctx, 'var', ctx.now) });

function required(steps: readonly Step[], stepId: string): Step {
  const step = steps.find((one) => one.id === stepId);
  if (!step) throw new Refusal('resource_missing', 'No such step in this campaign.', { param: 'step_id' });
  return step;
}

/** Steps that leads have had keep their positions. */
function inPlace({ steps, reached }: Before, edited: Edited): Edited {
  if (steps.slice(0, reached).every((step, position) => edited.steps[position]?.id === step.id)) return edited;
  throw new Refusal('validation_failed', `Leads have reached the first ${reached} steps: these keep their positions.`, { param: 'step_order' });
}

const shown = async (ctx: Ctx, id: string, stepId: string) => (await store.steps(ctx, id)).find((one) => one.id === stepId)!;

/** Add a step to a campaign, behind those that leads have reached. */
export async function addCampaignStep(ctx: Ctx, id: string, body: StepBody): Promise<store.Step> {
  const stepId = newId(ctx, 'cst', ctx.now);
  await edit(ctx, id, (before) => inPlace(before, addStep(before.steps, body, ids(ctx, stepId))));
  return shown(ctx, id, stepId);
}

/** Change or move a step of a campaign. Those who have had it keep what they had. */
export async function changeCampaignStep(ctx: Ctx, id: string, stepId: string, body: StepBody): Promise<store.Step> {
  await edit(ctx, id, (before) => {
    required(before.steps, stepId);
    return inPlace(before, changeStep(before.steps, body, ids(ctx, stepId)));
  });
  return shown(ctx, id, stepId);
}

/** Remove a step of a campaign; later ones move up. Who waits for it waits for the next one, and has finished where there is none. */
export async function deleteCampaignStep(ctx: Ctx, id: string, stepId: string): Promise<store.Step> {
  const row = (await store.steps(ctx, id)).find((one) => one.id === stepId);
  await edit(ctx, id, async ({ steps, leaving }) => {
    const step = required(steps, stepId);
    if (leaving.has(stepId)) throw new Refusal('invalid_campaign_state', 'A mail of this step is leaving at this moment. Try again shortly.');
    if (steps.length === 1) throw new Refusal('validation_failed', 'A campaign keeps at least one step.', { param: 'step_id' });
    const next = steps[step.step_order + 1];
    if (next) await postpone(ctx, id, { position: step.step_order, minutes: next.delay_minutes - step.delay_minutes });
    await closeGap(ctx, id, { position: step.step_order, left: steps.length - 1 });
    return { steps: removeStep(steps, stepId) };
  });
  return row!;
}

/** Put the steps of a campaign into another order; those that leads have reached keep their positions. */
export async function reorderCampaign(ctx: Ctx, id: string, stepIds: readonly string[]): Promise<void> {
  await edit(ctx, id, ({ steps, reached }) => ({
    steps: reorderSteps(steps, stepIds, new Set(steps.slice(0, reached).map((step) => step.id))),
  }));
}
