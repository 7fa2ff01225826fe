// What each event means and what its `data` holds, for the reference and for tests.
import { z } from 'zod';
import type { EventType } from './catalog.ts';

/** `shows` is the schema whose GET body `data` is; `adds` are the keys that are merged into it. */
export type Meaning = { says: string; shows: string; adds?: Readonly<Record<string, z.ZodType>> };

const nullableText = z.string().nullable();
const ofMessage = {
  message_id: z.string(),
  send_id: nullableText.meta({ description: 'The send that is answered.' }),
  inbox_id: z.string(),
  from_email: nullableText,
  subject: nullableText,
};

const tier = z.enum(['good', 'degraded', 'paused']);
const ofHit = {
  send_id: z.string(),
  kind: z.enum(['human', 'scanner', 'prefetch', 'self']).meta({ description: 'Who did it, as far as was known at that moment.' }),
  because: z.string().meta({ description: 'Why we think so, in a sentence.', example: 'Nothing in it shows a machine at work.' }),
  is_first: z.boolean().meta({ description: 'The first of its kind that a person made, for this send.' }),
};

export const MEANINGS = {
  'inbox.connected': { says: 'An inbox has been verified and can send.', shows: 'Inbox' },
  'inbox.disconnected': { says: 'An inbox was removed, revoked at its provider, or no longer lets us in.', shows: 'Inbox' },
  'inbox.token_expired': { says: 'The provider refused to renew the consent; the inbox must be connected again.', shows: 'Inbox' },
  'inbox.health_changed': {
    says: 'The health tier (good, degraded, paused) has changed.',
    shows: 'Inbox',
    adds: { health_tier: tier.meta({ example: 'degraded' }), previous_health_tier: tier.meta({ example: 'good' }) },
  },
  'contact.created': { says: 'A contact was created, alone, in a batch or by an import.', shows: 'Contact' },
  'contact.updated': { says: 'Attributes or global status have changed; `previous` has the values before.', shows: 'Contact' },
  'contact.deleted': { says: 'A contact was deleted for good; `data` is its last state.', shows: 'Contact' },
  'contact.unsubscribed': {
    says: 'The global status became unsubscribed.',
    shows: 'Contact',
    adds: { source: z.string().meta({ description: 'The id of a campaign, or `manual`.', example: 'manual' }) },
  },
  'contact.bounced': { says: 'The global status became bounced after a hard bounce.', shows: 'Contact' },
  'contact.lead_status_changed': {
    says: 'A lead was classified anew.',
    shows: 'Contact',
    adds: { previous_lead_status: nullableText.meta({ example: null }), campaign_id: nullableText },
  },
  'send.scheduled': { says: 'A send was written and waits for its time.', shows: 'Send' },
  'send.sending': { says: 'A worker has taken the send up.', shows: 'Send' },
  'send.sent': { says: 'The mail server has accepted the message.', shows: 'Send' },
  'send.failed': { says: 'The send has failed for good; `failure_reason` says why.', shows: 'Send' },
  'send.canceled': { says: 'A send was canceled while it waited.', shows: 'Send' },
  'message.received': { says: 'A message came into a connected inbox, whatever it is.', shows: 'Message' },
  'message.replied': { says: 'A person answered one of our sends.', shows: 'Message', adds: ofMessage },
  'message.bounced': {
    says: 'A delivery report came back for one of our sends. Only a hard one suppresses the address.',
    shows: 'Message',
    adds: {
      ...ofMessage,
      bounce_type: z.enum(['hard', 'soft', 'unknown']).nullable().meta({ example: 'hard' }),
      bounce_status: nullableText.meta({ description: 'The status code of the report (RFC 3463).', example: '5.1.1' }),
      bounce_diagnostic: nullableText.meta({ example: 'smtp; 550 5.1.1 no such user' }),
    },
  },
  'message.autoresponse': { says: 'A program answered: out of office, a ticket system.', shows: 'Message', adds: ofMessage },
  'message.opened': { says: 'The pixel of a message was asked for, by a person or a machine. Many of these come.', shows: 'Message', adds: ofHit },
  'message.clicked': {
    says: 'A link of a message was followed, by a person or a machine. Many of these come.',
    shows: 'Message',
    adds: { ...ofHit, url: z.string().meta({ example: 'https://example.com/pricing' }) },
  },
  'campaign.started': { says: 'A draft was started.', shows: 'Campaign' },
  'campaign.paused': { says: 'A campaign was paused, by hand or to protect from bounces.', shows: 'Campaign' },
  'campaign.resumed': { says: 'A paused campaign goes on, or contacts were attached to a completed one.', shows: 'Campaign' },
  'campaign.completed': { says: 'No contact is active in the campaign any more.', shows: 'Campaign' },
  'campaign.contact.advanced': { says: 'A contact moved to its next step. Many of these come.', shows: 'CampaignContact' },
  'campaign.winner_chosen': {
    says: 'A race between the variants of a step was decided by `auto_winner`.',
    shows: 'Campaign',
    adds: {
      step_id: z.string().meta({ example: 'cst_01k3zq6v9efxt8h5m2r7wbnycd' }),
      step_order: z.int(),
      winning_variant_id: z
        .string()
        .meta({ description: "Of a variant, or the step's own for its own text.", example: 'var_01k3zq6v9efxt8h5m2r7wbnycd' }),
      metric: z.enum(['reply', 'click', 'open']),
      results: z
        .array(
          z.object({
            variant_id: z.string(),
            sent: z.int(),
            hits: z.int().meta({ description: 'Mails that a person answered, clicked or opened.' }),
          }),
        )
        .meta({ description: "Each text that was in the race; the step's own goes by the step's id." }),
    },
  },
  'import.completed': { says: 'An import has finished.', shows: 'ContactImport' },
  'import.failed': { says: 'Nothing of an import could be read or imported.', shows: 'ContactImport' },
  'usage.threshold_reached': {
    says: '80 % or 100 % of a limit of the plan has been reached.',
    shows: 'Workspace',
    adds: {
      quota: z.enum(['contacts', 'sends', 'webhooks']).meta({ description: 'Which limit.' }),
      threshold_percent: z.int().meta({ example: 80 }),
      used: z.int().meta({ example: 4000 }),
      limit: z.int().meta({ example: 5000 }),
    },
  },
  'webhook.delivery.failed': {
    says: 'An endpoint used up its retries. Told to the other endpoints of the mode, never to the one that failed.',
    shows: 'WebhookEndpoint',
    adds: {
      delivery: z
        .object({
          id: z.string(),
          event_id: z.string(),
          event_type: z.string(),
          attempt: z.int(),
          response_status: z.int().nullable(),
          error: nullableText,
        })
        .meta({ description: 'Its last attempt.' }),
    },
  },
} as const satisfies Record<EventType, Meaning>;
