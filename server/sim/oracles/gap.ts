import type { Breach, Story } from '../story.ts';
import { sendsOf } from './facts.ts';

/**
 * No two mails of one inbox closer than its least gap. A draw between the gaps is made when the first of the two leaves: it is that moment's gap.
 * Single mails from a sandbox inbox leave at once, as the interface has it: in test mode they are not counted.
 */
export function gapBreaches(story: Story): Breach[] {
  const sends = sendsOf(story);
  const gaps = new Map<string, number>();
  const last = new Map<string, { at: number; gap: number }>();
  const breaches: Breach[] = [];
  for (const entry of story.entries) {
    if (entry.kind === 'inbox') gaps.set(entry.id, entry.settings.min_gap_seconds * 1000);
    const send = entry.kind === 'released' ? sends.get(entry.messageId) : undefined;
    if (!send || (story.mode === 'test' && send.campaign === null)) continue;
    const { inbox } = send;
    const before = last.get(inbox);
    const since = before ? entry.at - before.at : Infinity;
    if (before && since < before.gap) {
      breaches.push({
        oracle: 'gap',
        at: entry.at,
        what: `${since} ms after the mail before it, of inbox ${inbox}; the least gap is ${before.gap} ms`,
      });
    }
    last.set(inbox, { at: entry.at, gap: gaps.get(inbox) ?? 0 });
  }
  return breaches;
}
