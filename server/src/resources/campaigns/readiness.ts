// What stands in the way of a start: texts, inboxes, contacts, looked at all together.
import { suppressedAmong } from '#resources/suppressions/index.ts';
import { contactsByIds } from '#resources/contacts/index.ts';
import { activeEnrollments } from '#resources/enrollments/index.ts';
import { type Inbox, MAY_SEND } from '#resources/inboxes/index.ts';
import { sendsLeft } from '#resources/workspaces/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { type TextCheck, textCheck } from './check-texts.ts';
import { type Fault, faultOf, faultOfAll } from './faults.ts';
import { type Forecast, type ForecastLead, forecastOf } from './forecast.ts';
import type { Schedule } from './schedule.ts';
import { inboxesOf } from './sending-inboxes.ts';
import * as store from './store.ts';

export type Readiness = { errors: Fault[]; warnings: Fault[]; contacts: number };
export type DryRun = Readiness & { forecast: Forecast };

const CHUNK = 1_000;
/** The way out differs from letter to letter, and is always there. */
const ANY_LINK = 'https://example.com/u';

/** Look at everything that a start would begin. Being outside the schedule is no fault. */
export async function readinessOf(ctx: Ctx, campaign: store.Row): Promise<Readiness> {
  const { senders, inboxFaults } = await sendersOf(ctx, campaign);
  const walked = await walk(ctx, campaign, () => undefined);
  return together(walked, senders, inboxFaults);
}

/** The same, and the timetable that a start would have. */
export async function dryRunOf(ctx: Ctx, campaign: store.Row): Promise<DryRun> {
  const { senders, inboxFaults } = await sendersOf(ctx, campaign);
  const leads: ForecastLead[] = [];
  const walked = await walk(ctx, campaign, (lead) => void leads.push(lead));
  const delays = (await store.stepTable.of(ctx, campaign.id)).map((step) => step.delay_minutes);
  const forecast = forecastOf({ now: ctx.now, schedule: campaign.schedule as Schedule, inboxes: senders, delays, leads });
  const readiness = together(walked, senders, inboxFaults);
  const left = await sendsLeft(ctx);
  if (left !== null && forecast.thisMonth > left) readiness.warnings.push(faultOf('quota_exceeded', { count: forecast.thisMonth - left }));
  if (forecast.isCut) readiness.warnings.push(faultOf('forecast_cut'));
  return { ...readiness, forecast };
}

/** What is wrong with the texts for everybody: as far as a resume looks. */
export async function brokenTexts(ctx: Ctx, campaignId: string): Promise<Fault[]> {
  return textCheck(await store.stepTable.of(ctx, campaignId)).faults().errors;
}

async function sendersOf(ctx: Ctx, campaign: store.Row): Promise<{ senders: Inbox[]; inboxFaults: Fault[] }> {
  const inboxes = await inboxesOf(ctx, campaign);
  const maySend = (inbox: Inbox) => (MAY_SEND as readonly string[]).includes(inbox.status);
  const idle = inboxes.filter((inbox) => !maySend(inbox)).map((inbox) => inbox.id);
  return { senders: inboxes.filter(maySend), inboxFaults: faultOfAll('inbox_cannot_send', idle) };
}

type Walked = { check: TextCheck; contacts: number; barred: string[] };

function together({ check, contacts, barred }: Walked, senders: readonly Inbox[], inboxFaults: readonly Fault[]): Readiness {
  const { errors, warnings } = check.faults();
  return {
    errors: [...errors, ...(senders.length === 0 ? [faultOf('no_inbox')] : [])],
    warnings: [...warnings, ...inboxFaults, ...faultOfAll('contact_not_sendable', barred), ...(contacts === 0 ? [faultOf('no_contacts')] : [])],
    contacts,
  };
}

/** Every active contact of the campaign against every text that it has still to get. */
async function walk(ctx: Ctx, campaign: store.Row, onLead: (lead: ForecastLead) => void): Promise<Walked> {
  const check = textCheck(await store.stepTable.of(ctx, campaign.id));
  const walked: Walked = { check, contacts: 0, barred: [] };
  for (let last = ''; ;) {
    const enrollments = await activeEnrollments(ctx, campaign.id, last, CHUNK);
    if (enrollments.length === 0) return walked;
    const contacts = new Map((await contactsByIds(ctx, enrollments.map((one) => one.contact_id))).map((row) => [row.id, row])); // prettier-ignore
    const suppressed = await suppressedAmong(ctx, [...contacts.values()].map((one) => one.email_key)); // prettier-ignore
    for (const { id, contact_id, current_step, assigned_inbox_id, plan_due_at } of enrollments) {
      const contact = contacts.get(contact_id);
      if (!contact) continue;
      if (contact.global_status !== 'ok' || suppressed.has(contact.email_key)) {
        walked.barred.push(contact.id);
        continue;
      }
      walked.contacts++;
      const own = { email: contact.email, sender_name: '', sender_email: '' };
      const sources = [{ unsubscribe_url: ANY_LINK }, (contact.attributes as object | null) ?? {}, own];
      check.take({ id: contact.id, step: current_step, sources });
      onLead({ id, step: current_step, dueAt: plan_due_at ?? ctx.now, inboxId: assigned_inbox_id });
    }
    last = enrollments.at(-1)!.contact_id;
  }
}
