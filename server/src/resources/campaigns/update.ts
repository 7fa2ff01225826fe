import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '#platform/refusal.ts';
import { json } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';
import { lockedForEdit, planAnew } from './edit.ts';
import type { Schedule } from './schedule.ts';
import { assertInboxes } from './sending-inboxes.ts';
import * as store from './store.ts';
import type { CampaignPatch } from './wire.ts';

/** Change a draft or a paused campaign; what is not given stays. What was planned for other inboxes, or dressed otherwise, is planned anew. */
export async function updateCampaign(ctx: Ctx, id: string, patch: CampaignPatch): Promise<store.Row> {
  const before = await lockedForEdit(ctx, id);
  const schedule = mergedSchedule(before.schedule as Schedule, patch.schedule ?? {});
  const ids = patch.sending_inbox_ids === undefined ? before.sending_inbox_ids : [...new Set(patch.sending_inbox_ids)];
  const tags = patch.sending_inbox_tags === undefined ? before.sending_inbox_tags : [...new Set(patch.sending_inbox_tags ?? [])];
  if (ids.length + tags.length === 0) {
    const param = patch.sending_inbox_ids === undefined ? 'sending_inbox_tags' : 'sending_inbox_ids';
    throw new Refusal('validation_failed', 'A campaign needs sending inboxes, by id or by tag.', { param });
  }
  if (patch.sending_inbox_ids) await assertInboxes(ctx, patch.sending_inbox_ids);
  const dressed = {
    track_opens: patch.track_opens ?? before.track_opens,
    track_clicks: patch.track_clicks ?? before.track_clicks,
    inject_unsubscribe_footer: patch.inject_unsubscribe_footer ?? before.inject_unsubscribe_footer,
  };
  const isAsBefore = (Object.keys(dressed) as (keyof typeof dressed)[]).every((name) => dressed[name] === before[name]);
  const others = !isAsBefore || !isDeepStrictEqual([ids, tags], [before.sending_inbox_ids, before.sending_inbox_tags]);
  if (others) await planAnew(ctx, id);
  return store.update(ctx, id, {
    name: patch.name ?? before.name,
    schedule: json(schedule),
    sending_inbox_ids: ids,
    sending_inbox_tags: tags,
    ...dressed,
    ...(others && { edited_at: ctx.now }),
  });
}

/** The schedule with what the patch says; both ends of the window hold together. */
function mergedSchedule(before: Schedule, patch: NonNullable<CampaignPatch['schedule']>): Schedule {
  const merged: Schedule = {
    timezone: patch.timezone ?? before.timezone,
    daysOfWeek: patch.daysOfWeek ?? before.daysOfWeek,
    startHour: patch.startHour ?? before.startHour,
    endHour: patch.endHour ?? before.endHour,
  };
  if (merged.endHour > merged.startHour) return merged;
  throw new Refusal('validation_failed', 'endHour must be greater than startHour.', {
    param: patch.endHour === undefined ? 'schedule.startHour' : 'schedule.endHour',
  });
}
