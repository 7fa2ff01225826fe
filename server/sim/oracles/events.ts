import type { Breach, EndState, Story, Told } from '../story.ts';

type Log = readonly Told[];

const TERMINAL: Readonly<Record<string, string>> = { 'send.sent': 'sent', 'send.failed': 'failed', 'send.canceled': 'canceled' };
const CAMPAIGN: Readonly<Record<string, string>> = {
  'campaign.started': 'running',
  'campaign.paused': 'paused',
  'campaign.resumed': 'running',
  'campaign.completed': 'completed',
};

/** Every change of state has its event: the log alone, folded, is what the API says at the end. Its numbers have no gap. */
export function eventBreaches(story: Story): Breach[] {
  const log = story.entries.flatMap((entry) => (entry.kind === 'told' ? [entry.event] : []));
  const wrong = [...gaps(log), ...sends(log, story.end), ...contacts(log, story.end), ...campaigns(log, story.end), ...counts(log, story)];
  return wrong.map((what) => ({ oracle: 'events', at: story.until, what }));
}

const gaps = (log: Log): string[] =>
  log.flatMap((event, i) => (event.sequence === i + 1 ? [] : [`event ${i + 1} of the log has the number ${event.sequence}`]));

/** What every resource of a kind is, by its events. */
function folded<T>(log: Log, next: (before: T | undefined, event: Told) => T | undefined): Map<string, T> {
  const state = new Map<string, T>();
  for (const event of log) {
    const after = next(state.get(event.resource_id), event);
    if (after === undefined) state.delete(event.resource_id);
    else state.set(event.resource_id, after);
  }
  return state;
}

function compared(kind: string, told: ReadonlyMap<string, string>, shown: ReadonlyMap<string, string>): string[] {
  const all = new Set([...told.keys(), ...shown.keys()]);
  return [...all].flatMap((id) => (told.get(id) === shown.get(id) ? [] : [`${kind} ${id}: the log says ${told.get(id)}, the API ${shown.get(id)}`]));
}

function sends(log: Log, end: EndState): string[] {
  const wrong: string[] = [];
  const told = folded<string>(
    log.filter((event) => event.type.startsWith('send.')),
    (before, { type, resource_id: id }) => {
      const after = TERMINAL[type] ?? type.slice('send.'.length);
      const isOver = before !== undefined && before !== 'scheduled' && before !== 'sending';
      if (isOver || (type === 'send.scheduled') !== (before === undefined)) wrong.push(`send ${id} was ${before}, and then there was ${type}`);
      return after;
    },
  );
  // Going back to wait is no event of its own: a send that waits has been scheduled, or taken up before.
  for (const send of end.sends) if (send.state === 'scheduled' && told.get(send.id) === 'sending') told.set(send.id, 'scheduled');
  return [...wrong, ...compared('send', told, new Map(end.sends.map((one) => [one.id, one.state])))];
}

function contacts(log: Log, end: EndState): string[] {
  const word = ({ email, global_status, lead_status, attributes }: Record<string, unknown>) =>
    JSON.stringify([email, global_status, lead_status, Object.entries(attributes as object).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  const told = folded<string>(
    log.filter((event) => event.type.startsWith('contact.')),
    (_before, { type, data }) => (type === 'contact.deleted' ? undefined : word(data)),
  );
  return compared('contact', told, new Map(end.contacts.map((one) => [one.id, word(one)])));
}

function campaigns(log: Log, end: EndState): string[] {
  const told = folded<string>(
    log.filter((event) => event.type in CAMPAIGN),
    (_before, { type }) => CAMPAIGN[type],
  );
  const shown = new Map(end.campaigns.map((one) => [one.id, one.status]));
  // A draft has told of nothing yet, and a deletion of a campaign tells of its sends alone.
  return compared('campaign', new Map([...told].filter(([id]) => shown.has(id))), new Map([...shown].filter(([, status]) => status !== 'draft')));
}

/** What was told as often as it happened: mails that left, steps that were taken, letters that came. */
function counts(log: Log, { entries, end }: Story): string[] {
  const of = (type: string) => log.filter((event) => event.type === type);
  const wrong: string[] = [];
  const same = (what: string, a: number, b: number) => void (a === b || wrong.push(`${what}: ${a} and ${b}`));
  const sent = new Set(of('send.sent').map((event) => String(event.data['rfc822_message_id'])));
  const mails = new Set(entries.flatMap((entry) => (entry.kind === 'mail' ? [entry.messageId] : [])));
  for (const id of sent) if (!mails.has(id)) wrong.push(`${id} was told as sent, and no server had taken it`);
  const unknown = new Set(end.sends.flatMap((one) => (one.failure_reason === 'outcome_unknown' ? [one.rfc822_message_id] : [])));
  for (const id of mails) if (!sent.has(id) && !unknown.has(id)) wrong.push(`a server took ${id}, and nobody was told`);
  same('letters that came and message.received', end.inbound.length, of('message.received').length);
  same('sends scheduled and sends that there are', of('send.scheduled').length, end.sends.length);
  return wrong;
}
