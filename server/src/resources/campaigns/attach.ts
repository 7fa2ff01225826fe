import { Refusal, found } from '#platform/refusal.ts';
import { audienceById, contactIdsOf } from '#resources/audiences/index.ts';
import { type Enrolled, type Enrolling, enroll } from '#resources/enrollments/index.ts';
import { record } from '#resources/events/index.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';
import { present } from './wire.ts';

type Whom = { contact_ids?: string[] | undefined; audience_id?: string | undefined; skip_if_in_other_campaign: boolean };

/** Enroll contacts, or all of an audience as it is now. A completed campaign goes on with those who came. */
export async function attachContacts(ctx: Ctx, id: string, whom: Whom): Promise<Enrolled> {
  const campaign = found(await store.locked(ctx, id), 'campaign');
  return (await enrollIn(ctx, campaign, await idsOf(ctx, whom), { notElsewhere: whom.skip_if_in_other_campaign })).counts;
}

/** Enroll contacts in a campaign that the caller has locked; the planner looks at them at once, and a completed campaign runs again. */
export async function enrollIn(
  ctx: Ctx,
  campaign: store.Row,
  contactIds: readonly string[],
  { notElsewhere, source }: { notElsewhere: boolean; source?: string | undefined },
): Promise<Enrolling> {
  const { id } = campaign;
  const [first] = await store.steps(ctx, id);
  const dueAt = new Date(ctx.now.getTime() + first!.delay_minutes * 60_000);
  const enrolling = await enroll(ctx, id, contactIds, { dueAt, notElsewhere, source });
  if (enrolling.counts.attached === 0) return enrolling;
  if (campaign.status === 'running') await store.update(ctx, id, { next_plan_at: ctx.now });
  if (campaign.status === 'completed') {
    const row = await store.update(ctx, id, { status: 'running', next_plan_at: ctx.now });
    record(ctx, { type: 'campaign.resumed', resourceId: id, data: present(row), previous: { status: 'completed' } });
  }
  return enrolling;
}

async function idsOf(ctx: Ctx, { contact_ids: ids, audience_id: audienceId }: Whom): Promise<string[]> {
  if (audienceId === undefined) return ids ?? [];
  if (!(await audienceById(ctx, audienceId))) throw new Refusal('resource_missing', 'No such audience.', { param: 'audience_id' });
  return contactIdsOf(ctx, audienceId);
}
