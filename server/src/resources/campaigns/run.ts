// Starting, pausing and resuming: which states allow it, and what must be true before a start.
import { Refusal, found } from '#platform/refusal.ts';
import { record } from '#resources/events/index.ts';
import { setHeld } from '#resources/sends/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { planAnew } from './edit.ts';
import type { Fault } from './faults.ts';
import { type DryRun, brokenTexts, dryRunOf, readinessOf } from './readiness.ts';
import * as store from './store.ts';
import { present } from './wire.ts';

const FROM = { start: ['draft'], pause: ['running'], resume: ['paused'] } as const satisfies Record<string, readonly store.Row['status'][]>;

function able(campaign: store.Row, verb: keyof typeof FROM): store.Row {
  if ((FROM[verb] as readonly string[]).includes(campaign.status)) return campaign;
  throw new Refusal('invalid_campaign_state', `A campaign that is ${campaign.status} cannot ${verb}.`);
}

const lockedIn = async (ctx: Ctx, id: string, verb: keyof typeof FROM) => able(found(await store.locked(ctx, id), 'campaign'), verb);

/** draft → running. Refuses with `campaign_not_ready` and a list of what is in the way. */
export async function startCampaign(ctx: Ctx, id: string): Promise<store.Row> {
  const campaign = await lockedIn(ctx, id, 'start');
  refuseFaults((await readinessOf(ctx, campaign)).errors);
  const row = await store.update(ctx, id, { status: 'running', next_plan_at: ctx.now });
  record(ctx, { type: 'campaign.started', resourceId: id, data: present(row), previous: { status: 'draft' } });
  return row;
}

/** What a start would do: faults, warnings and the timetable. Writes nothing. */
export async function tryStart(ctx: Ctx, id: string): Promise<DryRun> {
  return dryRunOf(ctx, able(found(await store.byId(ctx, id), 'campaign'), 'start'));
}

function refuseFaults(problems: readonly Fault[]): void {
  if (problems.length === 0) return;
  const words = [...new Set(problems.map((one) => (one.step_order === null ? one.message : `Step ${one.step_order}: ${one.message}`)))];
  throw new Refusal('campaign_not_ready', words.slice(0, 5).join(' '), { problems });
}

/** running → paused: what waits is held; what a worker holds is stopped before its dot. */
export async function pauseCampaign(ctx: Ctx, id: string): Promise<store.Row> {
  await lockedIn(ctx, id, 'pause');
  const row = await store.update(ctx, id, { status: 'paused', next_plan_at: null });
  await setHeld(ctx, id, true);
  record(ctx, { type: 'campaign.paused', resourceId: id, data: present(row), previous: { status: 'running' } });
  return row;
}

/** After a pause for bounces only what is sent from now on is judged: the same bounces do not pause it twice. */
const countAnew = (ctx: Ctx) => ({ hard_bounces: 0, sends_known: 0, bounces_from: ctx.now, send_status: null, send_status_at: ctx.now });

/**
 * paused → running: what was held is due again, and the gates are looked at anew before each dot. Steps that were changed must be fit to send,
 * and a send that a worker put back after the change is planned anew.
 */
export async function resumeCampaign(ctx: Ctx, id: string): Promise<store.Row> {
  const { edited_at: editedAt, paused_reason: reason } = await lockedIn(ctx, id, 'resume');
  if (editedAt) {
    refuseFaults(await brokenTexts(ctx, id));
    await planAnew(ctx, id, editedAt);
  }
  const row = await store.update(ctx, id, { status: 'running', paused_reason: null, next_plan_at: ctx.now, ...(reason && countAnew(ctx)) });
  await setHeld(ctx, id, false);
  record(ctx, { type: 'campaign.resumed', resourceId: id, data: present(row), previous: { status: 'paused' } });
  return row;
}
