// A story in words, for people and to be compared: ids by the order in which they were met, one line for each thing that happened.
import type { Breach, Entry, Story } from './story.ts';

const IDS = /\b(?:aud|cmp|con|cst|enr|evt|imp|inb|msg|seq|snd|stp|sup|wsp)_[0-9a-z]{26}\b|<[\w-]{22}@[^<>\s]+>/g;

/** Names for ids: `snd 3` is the third send that was met. */
function namer(): (text: string) => string {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  return (text) =>
    text.replaceAll(IDS, (id) => {
      const known = names.get(id);
      if (known) return known;
      const kind = id.startsWith('<') ? 'mail' : id.slice(0, 3);
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      names.set(id, `${kind}-${count}`);
      return `${kind}-${count}`;
    });
}

/** What of an event's data the trace shows. */
const TELLING = [
  'to_email',
  'email',
  'contact_email',
  'state',
  'status',
  'global_status',
  'lead_status',
  'failure_reason',
  'classification',
] as const;

function wordsOf(entry: Entry): string {
  if (entry.kind === 'done') return `${entry.what} → ${entry.came}`;
  if (entry.kind === 'told') {
    const { type, resource_id: id, data } = entry.event;
    const shown = TELLING.flatMap((name) => (data[name] === undefined || data[name] === null ? [] : [`${name}=${JSON.stringify(data[name])}`]));
    return `    ${type} ${shown.join(' ')} ${id}`;
  }
  const { at: _at, op: _op, kind, ...facts } = entry;
  return `  ${kind} ${JSON.stringify(facts)}`;
}

/**
 * The lines of a story. The same seed gives the same lines: what was told at one instant, one event behind the other, has no order of its own
 * (decision 17), and stands in that of its words.
 */
export function traceOf({ entries, end, errors }: Story): string[] {
  const named = namer();
  const lines = entries.map((entry) => `${String(entry.op).padStart(4)} ${new Date(entry.at).toISOString()} ${wordsOf(entry)}`);
  const happened = inOrder(entries, lines).map(named);
  const ended = end.sends.map((one) => named(`     at the end: ${one.id} ${one.state} ${one.failure_reason ?? ''}`)).toSorted();
  return [...happened, ...ended, ...errors.map((one) => `     error: ${named(one)}`)];
}

/** Runs of events of one operation and instant, each sorted. */
function inOrder(entries: readonly Entry[], lines: readonly string[]): string[] {
  const sorted: string[] = [];
  for (let i = 0; i < entries.length;) {
    const { kind, op, at } = entries[i]!;
    let end = i + 1;
    if (kind === 'told') while (entries[end]?.kind === 'told' && entries[end]?.op === op && entries[end]?.at === at) end++;
    sorted.push(...lines.slice(i, end).toSorted());
    i = end;
  }
  return sorted;
}

/** What is said of a seed that does not hold: how it went wrong first, and how to see it again. */
export function reportOf({ seed, mode }: Story, breaches: readonly Breach[]): string {
  const [first] = breaches;
  if (!first) return `Seed ${seed} holds.`;
  return [
    `Seed ${seed} (${mode}): ${breaches.length} breach(es). The first:`,
    `  oracle  ${first.oracle}`,
    `  at      ${new Date(first.at).toISOString()}`,
    `  what    ${first.what}`,
    `  again   npm run sim -- --seed ${seed} --verbose`,
  ].join('\n');
}
