// `npm run demo -- --sandbox`: the same job in test mode, by the test clock: thirty days in seconds, held against the forecast of the start.
import type { Campaign, CampaignDryRun, Event, Inbox, Postrider, Send } from '@postrider/sdk';
import type { Clock } from '#platform/clock.ts';
import { STEPS } from './job.ts';
import { columns } from './progress.ts';

const DAYS = 30;
const MOST_MS = 120_000;
const DAY_MINUTES = 1_440;
/** In life days lie between the mails of a campaign. */
const DELAY_DAYS = [0, 3, 4];
const SCHEDULE = { timezone: 'Europe/Zurich', daysOfWeek: [1, 2, 3, 4, 5], startHour: 9, endHour: 17 };
const DAILY_LIMIT = 50;

export type SandboxJob = {
  api: Postrider;
  emails: readonly string[];
  inboxes: number;
  seed: number;
  /** Nobody answers and nothing bounces: then the forecast and the run must be equal. */
  quiet: boolean;
  clock: Clock;
};

export type SandboxFigures = {
  days: number;
  sent: number;
  forecast: number;
  /** Days of inboxes that the forecast and the run tell differently. */
  differing_days: number;
  replied: number;
  bounced: number;
  opened: number;
  clicked: number;
  processed: number;
  completed: boolean;
  /** Of the walk alone. */
  seconds: number;
};

type Rows = ReadonlyMap<string, number>;

/** Run it; the figures, and the days as people read them. */
export async function runSandbox(job: SandboxJob): Promise<{ figures: SandboxFigures; report: string }> {
  const { api, clock } = job;
  const inboxes = await inboxesOf(job);
  const id = await campaignOf(job, inboxes);
  const forecast = await api.campaigns.start(id, { dry_run: true });
  if (!forecast.ok) throw new Error(forecast.errors[0]?.message ?? 'The campaign cannot be started.');
  await api.campaigns.start(id);
  const began = clock.monotonic();
  const walk = await api.testClock.advance({ seconds: DAYS * DAY_MINUTES * 60 }, { timeoutMs: MOST_MS });
  const seconds = Math.round((clock.monotonic() - began) / 100) / 10;
  const sends = await api.sends.list({ limit: 100, state: 'sent' }).toArray();
  const events = await api.events.list({ limit: 100 }).toArray();
  const told = { forecast: forecastRows(forecast), run: runRows(sends, inboxes) };
  const figures = figuresOf({ campaign: await api.campaigns.retrieve(id), sends, events, told, processed: walk.processed, seconds });
  return { figures, report: reportOf(figures, told, inboxes, job.quiet) };
}

async function inboxesOf({ api, inboxes, seed, quiet }: SandboxJob): Promise<Inbox[]> {
  const sandbox = { seed, ...(quiet && { reply_probability: 0, bounce_probability: 0 }) };
  const all: Inbox[] = [];
  for (let i = 1; i <= inboxes; i++) {
    const { id } = await api.inboxes.createSandbox({ display_name: `Sender ${i}`, sandbox_config: sandbox });
    all.push(await api.inboxes.update(id, { daily_limit: DAILY_LIMIT, timezone: SCHEDULE.timezone }));
  }
  return all;
}

async function campaignOf({ api, emails }: SandboxJob, inboxes: readonly Inbox[]): Promise<string> {
  const steps = STEPS.map((step, i) => ({ ...step, delay_minutes: DELAY_DAYS[i]! * DAY_MINUTES }));
  const sequence = await api.sequences.create({ name: 'Three mails', steps });
  const wanted = { name: 'Demonstration', sequence_id: sequence.id, sending_inbox_ids: inboxes.map((one) => one.id), schedule: SCHEDULE };
  const { id } = await api.campaigns.create(wanted);
  const BATCH = 1_000;
  for (let from = 0; from < emails.length; from += BATCH) {
    const { created } = await api.contacts.batch({ contacts: emails.slice(from, from + BATCH).map((email) => ({ email })) });
    await api.campaigns.addContacts(id, { contact_ids: created.map((one) => one.id) });
  }
  return id;
}

const localDay = (at: string) => Temporal.Instant.from(at).toZonedDateTimeISO(SCHEDULE.timezone).toPlainDate().toString();
const keyOf = (date: string, inboxId: string) => `${date} ${inboxId}`;

const forecastRows = ({ forecast }: CampaignDryRun): Rows => new Map(forecast.map((day) => [keyOf(day.date, day.inbox_id), day.sends]));

function runRows(sends: readonly Send[], inboxes: readonly Inbox[]): Rows {
  const known = new Set(inboxes.map((one) => one.id));
  const rows = new Map<string, number>();
  for (const { sent_at: at, inbox_id: inbox } of sends) {
    if (at === null || !known.has(inbox)) continue;
    const key = keyOf(localDay(at), inbox);
    rows.set(key, (rows.get(key) ?? 0) + 1);
  }
  return rows;
}

type Told = { forecast: Rows; run: Rows };
type Facts = { campaign: Campaign; sends: readonly Send[]; events: readonly Event[]; told: Told; processed: number; seconds: number };

function figuresOf({ campaign, sends, events, told, processed, seconds }: Facts): SandboxFigures {
  const count = (type: string) => events.filter((one) => one.type === type).length;
  const keys = new Set([...told.forecast.keys(), ...told.run.keys()]);
  return {
    days: DAYS,
    sent: sends.length,
    forecast: [...told.forecast.values()].reduce((sum, one) => sum + one, 0),
    differing_days: [...keys].filter((key) => told.forecast.get(key) !== told.run.get(key)).length,
    replied: count('message.replied'),
    bounced: count('message.bounced'),
    opened: count('message.opened'),
    clicked: count('message.clicked'),
    processed,
    completed: campaign.status === 'completed',
    seconds,
  };
}

function reportOf(figures: SandboxFigures, { forecast, run }: Told, inboxes: readonly Inbox[], quiet: boolean): string {
  const dates = [...new Set([...forecast.keys(), ...run.keys()].map((key) => key.split(' ')[0]!))].sort();
  const sum = (rows: Rows, date: string) => inboxes.reduce((all, one) => all + (rows.get(keyOf(date, one.id)) ?? 0), 0);
  const table = dates.map((date): [string, number, string] => [`  ${date}`, sum(run, date), `forecast ${sum(forecast, date)}`]);
  return [
    '',
    `Sent     ${figures.sent} by ${inboxes.length} sandbox inboxes`,
    `Forecast ${figures.forecast} at the start${quiet ? '' : ', if nobody answered'}`,
    `Life     opened ${figures.opened}, clicked ${figures.clicked}, replied ${figures.replied}, bounced ${figures.bounced}`,
    `Time     ${DAYS} days in ${figures.seconds} s`,
    '',
    'Mails by day, as they left:',
    ...columns(table),
    '',
    isSandboxSound(figures, quiet) ? 'Everything agrees.' : 'This does not agree.',
    '',
  ].join('\n');
}

/** With nobody to answer, the run is the forecast, row by row; otherwise it never sends more. */
export const isSandboxSound = (one: SandboxFigures, quiet: boolean): boolean =>
  one.completed && (quiet ? one.differing_days === 0 && one.sent === one.forecast : one.sent <= one.forecast && one.replied + one.bounced > 0);
