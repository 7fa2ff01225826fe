// Starting, pausing and resuming: which states allow it, and what must be true before a start.
import { Refusal, found } from '#platform/refusal.ts';
import { record } from '#resources/events/index.ts';
import { MAY_SEND, byIds, withAnyTag } from '#resources/inboxes/index.ts';
import { setHeld } from '#resources/sends/index.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';
import { present } from './wire.ts';

const FROM = { start: ['draft'], pause: ['running'], resume: ['paused'] } as const satisfies Record<string, readonly store.Row['status'][]>;

async function lockedIn(ctx: Ctx, id: string, verb: keyof typeof FROM): Promise<store.Row> {
  const campaign = found(await store.locked(ctx, id), 'campaign');
  if (!(FROM[verb] as readonly string[]).includes(campaign.status)) {
    throw new Refusal('invalid_campaign_state', `A campaign that is ${campaign.status} cannot ${verb}.`);
  }
  return campaign;
}

/** draft → running. Refuses with `campaign_not_ready` and a list of what is in the way. */
export async function startCampaign(ctx: Ctx, id: string): Promise<store.Row> {
  const campaign = await lockedIn(ctx, id, 'start');
  const problems = await problemsOf(ctx, campaign);
  if (problems.length) throw new Refusal('campaign_not_ready', problems.map((one) => one.message).join(' '), { problems }); // prettier-ignore
  const row = await store.update(ctx, id, { status: 'running', next_plan_at: ctx.now });
  record(ctx, { type: 'campaign.started', resourceId: id, data: present(row), previous: { status: 'draft' } });
  return row;
}

/** running → paused: what waits is held; what a worker holds is stopped before its dot. */
export async function pauseCampaign(ctx: Ctx, id: string): Promise<store.Row> {
  await lockedIn(ctx, id, 'pause');
  const row = await store.update(ctx, id, { status: 'paused', next_plan_at: null });
  await setHeld(ctx, id, true);
  record(ctx, { type: 'campaign.paused', resourceId: id, data: present(row), previous: { status: 'running' } });
  return row;
}

/** paused → running: what was held is due again, and the gates are looked at anew before each dot. */
export async function resumeCampaign(ctx: Ctx, id: string): Promise<store.Row> {
  await lockedIn(ctx, id, 'resume');
  const row = await store.update(ctx, id, { status: 'running', paused_reason: null, next_plan_at: ctx.now });
  await setHeld(ctx, id, false);
  record(ctx, { type: 'campaign.resumed', resourceId: id, data: present(row), previous: { status: 'paused' } });
  return row;
}

type Problem = { code: string; message: string };

async function problemsOf(ctx: Ctx, campaign: store.Row): Promise<Problem[]> {
  const steps = await store.steps(ctx, campaign.id);
  const inboxes = [...(await byIds(ctx, campaign.sending_inbox_ids)), ...(await withAnyTag(ctx, campaign.sending_inbox_tags))];
  const problems: Problem[] = [];
  if (steps.length === 0) problems.push({ code: 'no_steps', message: 'The campaign has no steps.' });
  if (steps[0] && steps[0].subject.trim() === '') problems.push({ code: 'empty_subject', message: 'The first step has no subject.' });
  for (const step of steps) {
    if (step.body_html.trim() === '' && step.body_text.trim() === '') {
      problems.push({ code: 'empty_body', message: `Step ${step.step_order} has no body.` });
    }
  }
  if (!inboxes.some((inbox) => (MAY_SEND as readonly string[]).includes(inbox.status))) {
    problems.push({ code: 'no_inbox', message: 'None of its inboxes can send.' });
  }
  return problems;
}
