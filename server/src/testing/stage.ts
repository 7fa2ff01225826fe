// A house, a post office and connected inboxes without gaps or ramp: where the engine is tried out. A hook halts or ends it at its crash points.
import type { Inbox, Postrider } from '@postrider/sdk';
import type { CrashHook, CrashPoint } from '#engine/crash.ts';
import { rowsOf } from '#store/db.ts';
import type { World } from '#world/ctx.ts';
import { type HouseOptions, house } from './house.ts';
import { type PostOfficeOptions, openPostOffice } from './post-office/index.ts';

export type StageOptions = {
  senders?: readonly string[];
  deadlines?: HouseOptions['deadlines'];
  behave?: PostOfficeOptions['behave'];
  filesSent?: boolean;
  sorts?: PostOfficeOptions['sorts'];
  env?: Record<string, string>;
};

export type Stage = Awaited<ReturnType<typeof stage>>;
type SendColumns = {
  id: string;
  state: string;
  failure_reason: string | null;
  failure_detail: string | null;
  attempt_count: number;
  due_at: Date | null;
};

type Texts = { steps?: number; delayMinutes?: number };

/** A campaign that runs at all hours over these inboxes, its follow-ups in the thread of its first mail. */
async function runningCampaign(api: Postrider, inboxes: readonly Inbox[], emails: readonly string[], { steps = 1, delayMinutes = 30 }: Texts = {}) {
  const contacts = (await api.contacts.batch({ contacts: emails.map((email) => ({ email })) })).created;
  const texts = Array.from({ length: steps }, (_, i) => ({
    subject: i ? '' : 'Hello',
    body_text: `Step ${i + 1}`,
    delay_minutes: i ? delayMinutes : 0,
  }));
  const sequence = await api.sequences.create({ name: 'Steps', steps: texts });
  const schedule = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };
  const { id } = await api.campaigns.create({ name: 'C', sequence_id: sequence.id, sending_inbox_ids: inboxes.map((one) => one.id), schedule });
  await api.campaigns.addContacts(id, { contact_ids: contacts.map((one) => one.id) });
  await api.campaigns.start(id);
  return { id, contacts };
}

/** Set one up. `await using` takes it down. */
export async function stage({ senders = ['ann@sender.test'], deadlines, behave, filesSent = true, sorts, env }: StageOptions = {}) {
  let hook: CrashHook = () => undefined;
  const h = await house({ crash: (point) => hook(point), ...(deadlines && { deadlines }), ...(env && { env }) });
  const office = await openPostOffice({ senders, now: h.now, filesSent, ...(behave && { behave }), ...(sorts && { sorts }) });
  const api = await h.api({ mode: 'live', autoConfirm: true });
  const connectInbox = async (from: typeof office, address: string) => {
    const inbox = await api.inboxes.connectSmtp(from.connection(address));
    return api.inboxes.update(inbox.id, { min_gap_seconds: 0, max_gap_seconds: 0, daily_limit: 500, ramp: { enabled: false } });
  };
  const inboxes: Inbox[] = [];
  for (const address of senders) inboxes.push(await connectInbox(office, address));
  const inbox = inboxes[0]!;
  const close = async () => {
    await h.close();
    await office.close();
  };
  return {
    h,
    office,
    api,
    inboxes,
    inbox,
    connectInbox,
    /** Call `act` whenever the house comes to this point, until told otherwise. */
    at: (point: CrashPoint, act: () => void | Promise<void>) => void (hook = (reached) => (reached === point ? act() : undefined)),
    send: (to: string, more: object = {}) => api.sends.create({ to, subject: `To ${to}`, body_text: 'Hello', inbox_id: inbox.id, ...more }),
    campaign: (emails: readonly string[], texts?: Texts) => runningCampaign(api, inboxes, emails, texts),
    /** The row of a send, with what the wire does not show. */
    row: async (id: string) => (await rowsOf<SendColumns>(h.db, 'select * from sends where id = $1', [id]))[0]!,
    /** Types of the events about a resource, oldest first; of all when left out. */
    events: async (resourceId?: string) =>
      (
        await rowsOf<{ type: string }>(h.db, 'select type from events where $1::text is null or resource_id = $1 order by sequence', [
          resourceId ?? null,
        ])
      ).map((one) => one.type),
    statuses: async (campaignId: string) =>
      Object.fromEntries(
        (await api.campaigns.contacts(campaignId, { limit: 100 })).data.map((one) => [one.contact_email.split('@')[0]!, one.status as string]),
      ),
    /** Read every mailbox now. */
    async readMail() {
      await rowsOf(h.db, 'update inboxes set next_poll_at = $1', [h.now()]);
      await h.inbound.step();
      await h.inbound.idle();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A world whose process can be ended: from `end` on its connections are gone and none of its crash points lets it go on. */
export function mortal(world: World, dieAt: CrashPoint) {
  const died = Promise.withResolvers<void>();
  const closing: (() => unknown)[] = [];
  let dead = false;
  const mail: World['mail'] = {
    async connectSmtp(server) {
      const session = await world.mail.connectSmtp(server);
      if ('kind' in session) return session;
      closing.push(() => session.close());
      const offer = session.offer.bind(session);
      session.offer = async (...message) => {
        const held = await offer(...message);
        if (held.kind === 'held') closing.unshift(() => held.abort());
        return held;
      };
      return session;
    },
    async openMailbox(server) {
      const mailbox = await world.mail.openMailbox(server);
      closing.push(() => mailbox.close());
      return mailbox;
    },
  };
  const crash: CrashHook = (point) => {
    if (!dead && point !== dieAt) return undefined;
    if (!dead) {
      dead = true;
      for (const end of closing) end();
      died.resolve();
    }
    return new Promise<void>(() => undefined);
  };
  return { world: { ...world, mail }, crash, died: died.promise };
}
