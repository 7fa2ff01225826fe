import { Refusal, found } from '#platform/refusal.ts';
import { audienceById, contactIdsOf } from '#resources/audiences/index.ts';
import { type Enrolled, enroll } from '#resources/enrollments/index.ts';
import { record } from '#resources/events/index.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';
import { present } from './wire.ts';

type Whom = { contact_ids?: string[] | undefined; audience_id?: string | undefined; skip_if_in_other_campaign: boolean };

/** Enroll contacts, or all of an audience as it is now. A completed campaign goes on with those who came. */
export async function attachContacts(ctx: Ctx, id: string, whom: Whom): Promise<Enrolled> {
  const campaign = found(await store.locked(ctx, id), 'campaign');
  const [first] = await store.steps(ctx, id);
  if (!first) throw new Refusal('campaign_not_ready', 'This campaign has no steps.');
  const result = await enroll(ctx, id, await idsOf(ctx, whom), {
    dueAt: new Date(ctx.now.getTime() + first.delay_minutes * 60_000),
    skipIfInOtherCampaign: whom.skip_if_in_other_campaign,
  });
  if (result.attached === 0) return result;
  if (campaign.status === 'running') await store.update(ctx, id, { next_plan_at: ctx.now });
  if (campaign.status === 'completed') {
    const row = await store.update(ctx, id, { status: 'running', next_plan_at: ctx.now });
    record(ctx, { type: 'campaign.resumed', resourceId: id, data: present(row), previous: { status: 'completed' } });
  }
  return result;
}

async function idsOf(ctx: Ctx, { contact_ids: ids, audience_id: audienceId }: Whom): Promise<string[]> {
  if (audienceId === undefined) return ids ?? [];
  if (!(await audienceById(ctx, audienceId))) throw new Refusal('resource_missing', 'No such audience.', { param: 'audience_id' });
  return contactIdsOf(ctx, audienceId);
}
