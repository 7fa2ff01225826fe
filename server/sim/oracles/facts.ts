// What the oracles ask of a story in common: which send a mail was, and whose.
import type { Entry, Story } from '../story.ts';

export type SendFacts = {
  id: string;
  messageId: string;
  campaign: string | null;
  inbox: string;
  email: string;
  scheduledAt: number;
  /** In a thread, and of no campaign: a reply, which no cap holds back. */
  isReply: boolean;
};

export const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Every send that was ever told of, by its Message-ID. */
export function sendsOf(story: Story): Map<string, SendFacts> {
  const sends = new Map<string, SendFacts>();
  for (const entry of story.entries) {
    if (entry.kind !== 'told' || entry.event.type !== 'send.scheduled') continue;
    const { data } = entry.event;
    const messageId = text(data['rfc822_message_id']) ?? '';
    const campaign = text(data['campaign_id']);
    sends.set(messageId, {
      id: entry.event.resource_id,
      messageId,
      campaign,
      inbox: text(data['inbox_id']) ?? '',
      email: keyOf(text(data['to_email'])),
      scheduledAt: Date.parse(text(data['scheduled_at']) ?? ''),
      isReply: campaign === null && data['provider_thread_id'] !== null,
    });
  }
  return sends;
}

export const keyOf = (email: string | null): string => (email ?? '').toLowerCase();
export const told = (entry: Entry) => (entry.kind === 'told' ? entry.event : null);
export const clockOf = (at: number): string => new Date(at).toISOString();
