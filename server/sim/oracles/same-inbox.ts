import type { Breach, Story } from '../story.ts';
import { keyOf, sendsOf, told } from './facts.ts';

/**
 * All mails of a campaign to one contact come from the inbox of the first. Who was written to before an inbox was disconnected is free of it; a
 * contact that was deleted and made anew is another one.
 */
export function sameInboxBreaches(story: Story): Breach[] {
  const sends = sendsOf(story);
  const releasedAt = new Map<string, number>();
  const disconnectedAt = new Map<string, number>();
  const first = new Map<string, { login: string; place: number }>();
  const breaches: Breach[] = [];
  for (const [place, entry] of story.entries.entries()) {
    if (entry.kind === 'inbox' && entry.settings.status === 'revoked') disconnectedAt.set(entry.login, place);
    if (entry.kind === 'released') releasedAt.set(entry.messageId, place);
    const event = told(entry);
    if (event?.type === 'contact.deleted') {
      const email = keyOf(String(event.data['email']));
      for (const lead of first.keys()) if (lead.endsWith(` ${email}`)) first.delete(lead);
    }
    const campaign = entry.kind === 'mail' && sends.get(entry.messageId)?.campaign;
    if (entry.kind !== 'mail' || !campaign) continue;
    const lead = `${campaign} ${keyOf(entry.to)}`;
    const own = first.get(lead);
    const isFree = !own || (disconnectedAt.get(own.login) ?? -1) > own.place;
    if (isFree) first.set(lead, { login: entry.login, place: releasedAt.get(entry.messageId) ?? place });
    else if (own.login !== entry.login) {
      breaches.push({ oracle: 'same inbox', at: entry.at, what: `${lead} was written to by ${own.login}, now by ${entry.login}` });
    }
  }
  return breaches;
}
