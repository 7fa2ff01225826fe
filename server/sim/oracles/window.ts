import type { Breach, Story } from '../story.ts';
import { type Window, isWithin } from '../wall.ts';
import { clockOf, sendsOf } from './facts.ts';

/** A permission that was had in time may be used so much later. */
const PERMISSION_MS = 30_000;

/** No mail outside the window of its campaign, nor before the time that it was scheduled for. */
export function windowBreaches(story: Story): Breach[] {
  const sends = sendsOf(story);
  const windows = new Map<string, Window>();
  const releasedAt = new Map<string, number>();
  const breaches: Breach[] = [];
  for (const entry of story.entries) {
    if (entry.kind === 'campaign') windows.set(entry.id, entry.window);
    if (entry.kind !== 'released' && entry.kind !== 'mail') continue;
    const send = sends.get(entry.messageId);
    if (!send) continue;
    const breach = (what: string) => void breaches.push({ oracle: 'window', at: entry.at, what: `${what} (${send.id} to ${send.email})` });
    if (entry.kind === 'mail') {
      const released = releasedAt.get(entry.messageId);
      if (released === undefined) breach('a mail left without a release');
      else if (entry.at - released > PERMISSION_MS) breach(`a mail left ${entry.at - released} ms after its release`);
      continue;
    }
    releasedAt.set(entry.messageId, entry.at);
    if (entry.at < send.scheduledAt) breach(`released before its time, ${clockOf(send.scheduledAt)}`);
    const window = send.campaign === null ? undefined : windows.get(send.campaign);
    if (window && !isWithin(window, entry.at)) breach(`released at ${clockOf(entry.at)}, outside ${JSON.stringify(window)}`);
  }
  return breaches;
}
