import type { Breach, Entry, Story, Told } from '../story.ts';
import { type SendFacts, keyOf, sendsOf, text } from './facts.ts';

/** What forbids a mail, as it stands at one moment of the story. */
type Stops = {
  /** Addresses on the suppression list, and contacts who may not be written to. */
  barred: Set<string>;
  unwelcome: Map<string, string>;
  campaigns: Map<string, string>;
  /** `campaign email`: out, or stopped for good. */
  leads: Map<string, string>;
  inboxes: Map<string, string>;
  /** Sends that have come to an end. */
  ended: Map<string, string>;
  /** Where in the story a contact was deleted, and where one (of its address) was put into a campaign: whoever is made anew is somebody else. */
  deletedAt: Map<string, number>;
  enteredAt: Map<string, number>;
};

const ENDS: Readonly<Record<string, string>> = { 'send.canceled': 'canceled', 'send.failed': 'failed', 'send.sent': 'sent' };

/** No mail is released after what stops it was committed: see the cases of `reasonOf`. */
export function stopBreaches(story: Story): Breach[] {
  const sends = sendsOf(story);
  const byId = new Map([...sends.values()].map((one) => [one.id, one]));
  const stops: Stops = {
    barred: new Set(),
    unwelcome: new Map(),
    campaigns: new Map(),
    leads: new Map(),
    inboxes: new Map(),
    ended: new Map(),
    deletedAt: new Map(),
    enteredAt: new Map(),
  };
  const breaches: Breach[] = [];
  for (const [place, entry] of story.entries.entries()) {
    const send = entry.kind === 'released' ? sends.get(entry.messageId) : undefined;
    const reason = send && reasonOf(stops, send);
    if (reason) breaches.push({ oracle: 'stop', at: entry.at, what: `${send.id} to ${send.email} was released, but ${reason}` });
    take(stops, { ...entry, place }, byId);
  }
  return breaches;
}

function reasonOf(stops: Stops, { id, email, campaign, inbox }: SendFacts): string | null {
  if (stops.barred.has(email)) return 'the address is suppressed';
  const unwelcome = stops.unwelcome.get(email);
  if (unwelcome) return `the contact is ${unwelcome}`;
  const ended = stops.ended.get(id);
  if (ended) return `it is ${ended}`;
  const at = stops.inboxes.get(inbox);
  if (at) return `its inbox is ${at}`;
  if (campaign === null) return null;
  const status = stops.campaigns.get(campaign);
  if (status) return `its campaign is ${status}`;
  const lead = `${campaign} ${email}`;
  if ((stops.deletedAt.get(email) ?? -1) > (stops.enteredAt.get(lead) ?? -1)) return 'the contact is deleted';
  const end = stops.leads.get(lead);
  return end ? `the contact is ${end} in its campaign` : null;
}

const setOrDrop = <K, V>(map: Map<K, V>, key: K, value: V | null) => void (value === null ? map.delete(key) : map.set(key, value));
const NO_MORE: ReadonlySet<string> = new Set(['revoked', 'failed', 'paused']);

type Placed = Entry & { place: number };

function take(stops: Stops, entry: Placed, sends: ReadonlyMap<string, SendFacts>): void {
  if (entry.kind === 'barred') {
    if (entry.on) stops.barred.add(keyOf(entry.email));
    else stops.barred.delete(keyOf(entry.email));
  }
  if (entry.kind === 'campaign_gone') stops.campaigns.set(entry.id, 'deleted');
  if (entry.kind === 'inbox') setOrDrop(stops.inboxes, entry.id, NO_MORE.has(entry.settings.status) ? entry.settings.status : null);
  if (entry.kind === 'lead') {
    const lead = `${entry.campaign} ${keyOf(entry.email)}`;
    if (stops.leads.get(lead) !== 'stopped' || entry.is === 'in') setOrDrop(stops.leads, lead, entry.is === 'in' ? null : entry.is);
    if (entry.is === 'in') stops.enteredAt.set(lead, entry.place);
  }
  if (entry.kind === 'told') takeEvent(stops, entry.event, entry.place, sends);
}

function takeEvent(stops: Stops, { type, resource_id: id, data }: Told, place: number, sends: ReadonlyMap<string, SendFacts>): void {
  const email = keyOf(text(data['email']));
  const status = text(data['global_status']) ?? 'ok';
  const end = ENDS[type];
  if (end) stops.ended.set(id, end);
  if (type === 'contact.created' || type === 'contact.updated') setOrDrop(stops.unwelcome, email, status === 'ok' ? null : status);
  if (type === 'contact.bounced') stops.barred.add(email);
  if (type === 'contact.deleted') {
    stops.unwelcome.delete(email);
    stops.deletedAt.set(email, place);
  }
  if (type === 'campaign.paused' || type === 'campaign.completed') stops.campaigns.set(id, String(data['status']));
  if (type === 'campaign.started' || type === 'campaign.resumed') stops.campaigns.delete(id);
  if (type === 'inbox.disconnected') stops.inboxes.set(id, String(data['status']));
  if (type === 'inbox.connected') stops.inboxes.delete(id);
  const answered = type === 'message.replied' ? sends.get(String(data['send_id'])) : undefined;
  if (answered?.campaign) stops.leads.set(`${answered.campaign} ${answered.email}`, 'stopped');
}
