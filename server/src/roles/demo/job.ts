// The whole job of an outreach, through the SDK alone: mailboxes, people, sequence, campaign, and watching it to its end.
import type { Campaign, CampaignContact, ConnectSmtpBody, ContactImport, Event, Inbox, Postrider } from '@postrider/sdk';
import type { Send, StepBody, UpdateInboxBody } from '@postrider/sdk';
import { type Clock, sleep } from '#platform/clock.ts';
import { type EventLog, eventLog } from './events.ts';

export type Job = {
  api: Postrider;
  connections: readonly ConnectSmtpBody[];
  /** Set on each mailbox after it was connected: caps and gaps. */
  pace: UpdateInboxBody;
  csv: string;
  clock: Clock;
  /** Give up watching after this much machine time; asked at each look. */
  deadlineMs(): number;
  /** Nothing more is to come from outside: the job is over when the campaign is complete and this is so. */
  isQuiet?(): boolean;
  onLook?(look: Look): void;
  signal: AbortSignal;
};

/** What is known at one look, while it runs. */
export type Look = { campaign: Campaign; inboxes: Inbox[]; log: EventLog };

export type Done = {
  isComplete: boolean;
  imported: ContactImport;
  inboxes: Inbox[];
  sends: Send[];
  enrollments: CampaignContact[];
  events: Event[];
};

const TEXTS = [
  `Hi {{first_name | default: "there"}},\n\nwe help companies like {{company | default: "yours"}} to answer every mail. Worth ten minutes?\n`,
  `{{first_name | default: "Hello"}}, did my first mail reach you? I would gladly come to {{city | default: "your town"}}.\n`,
  `Hi {{first_name | default: "there"}},\n\nI will not write again after this. All the best to {{company | default: "all of you"}}!\n`,
];

/** Three mails; the second goes into the thread of the first. */
export const STEPS: StepBody[] = [
  { delay_minutes: 0, subject: 'A question about {{company | default: "your work"}}', body_text: TEXTS[0]! },
  { delay_minutes: 3, subject: '', body_text: TEXTS[1]! },
  { delay_minutes: 4, subject: 'One last note, {{first_name | default: "then"}}', body_text: TEXTS[2]! },
];
export const STEP_COUNT = STEPS.length;

/** Which of the three a subject belongs to, from 1; 0 for none. */
export function stepOf(subject: string): number {
  if (subject.startsWith('A question about ')) return 1;
  if (subject.startsWith('Re: A question about ')) return 2;
  return subject.startsWith('One last note, ') ? 3 : 0;
}

const LOOK_EVERY_MS = 500;

/** A zone where it is ten in the evening. New leads are spread over what is left of a day, and at noon that would be hours. */
export function eveningZone(now: Date): string {
  const ahead = 22 - now.getUTCHours();
  // POSIX counts westwards; zones lie between 12 hours behind and 14 ahead.
  const east = ahead > 14 ? ahead - 24 : ahead;
  return `Etc/GMT${east > 0 ? '-' : '+'}${Math.abs(east)}`;
}

/** Run it. Throws what the API refuses, and the reason of `signal`; an end that does not come in time is told by `isComplete`. */
export async function runJob(job: Job): Promise<Done> {
  const { api, signal, csv, pace } = job;
  const timezone = eveningZone(job.clock.now());
  const inboxes = await Promise.all(job.connections.map(async (connection) => {
    const { id } = await api.inboxes.connectSmtp(connection, { signal });
    return api.inboxes.update(id, { ...pace, timezone }, { signal });
  })); // prettier-ignore
  const imported = await api.contactImports.create({ file: csv, filename: 'people.csv', audience_name: 'Everybody' }, { signal });
  if (imported.audience_id === null) throw new Error(`The import failed: ${imported.errors[0]?.error.message ?? imported.status}`);
  const sequence = await api.sequences.create({ name: 'Three mails', steps: STEPS }, { signal });
  const campaign = await api.campaigns.create({
    name: 'Demonstration',
    sequence_id: sequence.id,
    sending_inbox_ids: inboxes.map((inbox) => inbox.id),
    schedule: { timezone, daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 },
  }, { signal }); // prettier-ignore
  await api.campaigns.addContacts(campaign.id, { audience_id: imported.audience_id }, { signal });
  await api.campaigns.start(campaign.id, {}, { signal });
  const log = eventLog(api);
  const isComplete = await watch(job, campaign.id, log);
  return {
    isComplete,
    imported,
    inboxes: await api.inboxes.list({ limit: 100 }, { signal }).toArray(),
    sends: (await api.sends.list({ limit: 100 }, { signal }).toArray()).filter((send) => send.campaign_id === campaign.id),
    enrollments: await api.campaigns.contacts(campaign.id, { limit: 100 }, { signal }).toArray(),
    events: await log.whole(signal),
  };
}

async function watch({ api, clock, deadlineMs, isQuiet = () => true, onLook, signal }: Job, campaignId: string, log: EventLog): Promise<boolean> {
  const started = clock.monotonic();
  for (;;) {
    signal.throwIfAborted();
    const [campaign, { data: inboxes }] = await Promise.all([
      api.campaigns.retrieve(campaignId, { signal }),
      api.inboxes.list({ limit: 100 }, { signal }),
      log.refresh(signal),
    ]);
    onLook?.({ campaign, inboxes, log });
    if (campaign.status === 'completed' && isQuiet() && !(await hasOpenSends(api, signal))) return true;
    if (clock.monotonic() - started > deadlineMs()) return false;
    await sleep(clock, LOOK_EVERY_MS, signal);
  }
}

/** A campaign may be complete while the outcome of a mail to somebody who has answered is still being found out. */
async function hasOpenSends(api: Postrider, signal: AbortSignal): Promise<boolean> {
  const states = ['scheduled', 'sending'] as const;
  const open = await Promise.all(states.map((state) => api.sends.list({ state, limit: 1 }, { signal })));
  return open.some((page) => page.data.length > 0);
}
