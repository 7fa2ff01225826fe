import type {
  Campaign, CampaignContact, Contact, ContactImport, Event, EventType, Inbox, Message, Mode, Send, WebhookDelivery, WebhookEndpoint,
} from './types.gen.ts'; // prettier-ignore

type MessageFacts = { message_id: string; send_id: string | null; inbox_id: string; from_email: string; subject: string | null };
type BounceFacts = { bounce_type: 'hard' | 'soft' | 'unknown'; bounce_status: string | null; bounce_diagnostic: string | null };
type WinnerFacts = {
  step_id: string;
  step_order: number;
  winning_variant_id: string;
  metric: 'reply' | 'click' | 'open';
  results: { variant_id: string; sent: number; hits: number }[];
};
type FailedDelivery = { delivery: Pick<WebhookDelivery, 'id' | 'event_id' | 'event_type' | 'attempt' | 'response_status' | 'error'> };

/** What an event of the type carries: the resource as it was at that moment, and what the type adds to it. */
export type EventData<T extends EventType> = T extends 'message.replied'
  ? Message & MessageFacts
  : T extends 'message.bounced'
    ? Message & BounceFacts
    : T extends `message.${string}`
      ? Message
      : T extends 'contact.lead_status_changed'
        ? Contact & { previous_lead_status: Contact['lead_status']; campaign_id: string | null }
        : T extends 'contact.unsubscribed'
          ? Contact & { source: string }
          : T extends `contact.${string}`
            ? Contact
            : OtherData<T>;
type OtherData<T extends EventType> = T extends `send.${string}`
  ? Send
  : T extends `inbox.${string}`
    ? Inbox
    : T extends 'campaign.contact.advanced'
      ? CampaignContact
      : T extends 'campaign.winner_chosen'
        ? Campaign & WinnerFacts
        : T extends `campaign.${string}`
          ? Campaign
          : T extends `import.${string}`
            ? ContactImport
            : T extends 'webhook.delivery.failed'
              ? WebhookEndpoint & FailedDelivery
              : Record<string, unknown>;

type Delivered<T extends string, D> = {
  id: string;
  object: 'event';
  type: T;
  mode: Mode;
  created_at: string;
  workspace_id: string;
  resource_id: string;
  /** Counts the events of a workspace and mode, without gaps; null for a verification or a test, which stand in no log. */
  sequence: number | null;
  data: D;
  /** Prior values of changed fields, on updates. */
  previous: Event['previous'];
  /** The metadata of the originating send. Of a test event `{ test: true }`: then `data` names no resource that exists. */
  metadata: Event['metadata'];
};

/** What a webhook delivers; its `type` tells what `data` holds. */
export type WebhookEvent =
  | { [T in EventType]: Delivered<T, EventData<T>> }[EventType]
  | Delivered<'webhook.verification', { webhook_id: string; url: string; challenge: string }>;
