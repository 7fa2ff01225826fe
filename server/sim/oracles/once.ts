import type { Breach, Story } from '../story.ts';
import { keyOf, sendsOf, told } from './facts.ts';

/**
 * No mail twice: no Message-ID is accepted or released twice after an acceptance, and nobody gets the same text of a campaign twice. A contact that
 * was deleted and made anew is another one.
 */
export function onceBreaches(story: Story): Breach[] {
  const sends = sendsOf(story);
  const accepted = new Set<string>();
  const texts = new Set<string>();
  const lives = new Map<string, number>();
  const breaches: Breach[] = [];
  for (const entry of story.entries) {
    const event = told(entry);
    if (event?.type === 'contact.deleted') {
      const email = keyOf(String(event.data['email']));
      lives.set(email, (lives.get(email) ?? 0) + 1);
    }
    if (entry.kind === 'released' && accepted.has(entry.messageId)) {
      breaches.push({ oracle: 'once', at: entry.at, what: `released again after it was accepted: ${entry.messageId}` });
    }
    if (entry.kind !== 'mail') continue;
    if (accepted.has(entry.messageId)) breaches.push({ oracle: 'once', at: entry.at, what: `accepted twice: ${entry.messageId} to ${entry.to}` });
    accepted.add(entry.messageId);
    const campaign = sends.get(entry.messageId)?.campaign;
    if (!campaign || entry.text === null) continue;
    const email = keyOf(entry.to);
    const text = `${campaign} ${email} ${lives.get(email) ?? 0} ${entry.text}`;
    if (texts.has(text)) breaches.push({ oracle: 'once', at: entry.at, what: `text ${entry.text} of ${campaign} again to ${email}` });
    texts.add(text);
  }
  return breaches;
}
