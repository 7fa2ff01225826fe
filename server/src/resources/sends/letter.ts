import { newId } from '#platform/ids.ts';
import type { World } from '#world/ctx.ts';
import type { Letter } from './store.ts';

/** A fresh Message-ID with 128 random bits, in angle brackets, under the domain that the mail comes from (RFC 5322 3.6.4). */
export function newMessageId(world: World, senderAddress: string): string {
  const domain = senderAddress.slice(senderAddress.lastIndexOf('@') + 1);
  // Domains beyond ASCII would make the whole header need SMTPUTF8.
  const ascii = /^[\x21-\x7e]+$/.test(domain) ? domain.toLowerCase() : 'localhost.localdomain';
  return `<${world.random.bytes(16).toString('base64url')}@${ascii}>`;
}

type Given = Pick<Letter, 'workspace_id' | 'mode' | 'inbox_id' | 'to_email' | 'to_email_key' | 'subject' | 'scheduled_at' | 'rfc822_message_id'> &
  Partial<Letter>;

/** A send as it begins: scheduled, nobody's yet, with everything that is not given at rest. */
export function freshSend(world: World, now: Date, given: Given): Letter {
  return {
    id: newId(world, 'snd', now),
    to_name: null, body_html: null, body_text: null, state: 'scheduled', failure_reason: null, failure_detail: null,
    provider_message_id: null, provider_thread_id: given.rfc822_message_id, in_reply_to: null, thread_references: [], is_reply: false,
    attempt_count: 0, sent_at: null, canceled_at: null, created_at: now, metadata: null, campaign_id: null, contact_id: null,
    enrollment_id: null, campaign_step_id: null, variant_id: null, due_at: given.scheduled_at, fence: 0,
    cc: null, bcc: null, reply_to: null, headers: null, attachments: null, track_opens: null, track_clicks: null,
    ...given,
  }; // prettier-ignore
}
