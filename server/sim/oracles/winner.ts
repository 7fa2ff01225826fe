import type { Breach, Story } from '../story.ts';
import { sendsOf, told } from './facts.ts';

/** Once the race between the texts of a step is decided, no mail of that step is released with another text than the winner's. */
export function winnerBreaches(story: Story): Breach[] {
  const sends = sendsOf(story);
  const mails = new Map(story.entries.flatMap((entry) => (entry.kind === 'mail' ? [[entry.messageId, entry] as const] : [])));
  /** Which text a step or variant of a campaign is: `campaign number` and letter. The campaigns of a sequence share the ids of its variants. */
  const texts = new Map<string, { step: string; variant: string }>();
  const won = new Map<string, string>();
  const breaches: Breach[] = [];
  for (const entry of story.entries) {
    if (entry.kind === 'step') {
      for (const [id, variant] of Object.entries(entry.variants))
        texts.set(`${entry.campaign} ${id}`, { step: `${entry.campaign} ${entry.text}`, variant });
    }
    const event = told(entry);
    if (event?.type === 'campaign.winner_chosen') {
      const text = texts.get(`${event.resource_id} ${String(event.data['winning_variant_id'])}`);
      if (text) won.set(text.step, text.variant);
      else breaches.push({ oracle: 'winner', at: entry.at, what: `the winner is no text of the campaign: ${event.resource_id}` });
    }
    const mail = entry.kind === 'released' ? mails.get(entry.messageId) : undefined;
    if (!mail || mail.text === null) continue;
    const step = `${sends.get(mail.messageId)?.campaign} ${mail.text}`;
    const winner = won.get(step);
    if (winner !== undefined && winner !== mail.variant) {
      breaches.push({ oracle: 'winner', at: entry.at, what: `text ${mail.text}${mail.variant} to ${mail.to}, after ${mail.text}${winner} had won` });
    }
  }
  return breaches;
}
