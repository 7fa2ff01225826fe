import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { Resource } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { EventType, WebhookDelivery, WebhookEndpoint, WebhookEndpointWithSecret, WebhookReplay } from './types.gen.ts';

/** Event types, or `*` alone for every one. */
export type EnabledEvents = EventType[] | ['*'];
export type CreateWebhookBody = { url: string; enabled_events: EnabledEvents; description?: string | null };
export type UpdateWebhookBody = Partial<CreateWebhookBody & { disabled: boolean }>;
export type ListDeliveriesQuery = ListQuery<{ status: WebhookDelivery['status']; event_type: string; event_id: string }>;

/** Endpoints that are told of events. What arrives there is checked by `webhooks.verify`. */
export class WebhookEndpoints extends Resource {
  list(query?: ListQuery, options?: CallOptions) {
    return this.pages<WebhookEndpoint>('/v1/webhooks', query, options);
  }
  /** The secret is in this answer, and in that of `rotate`, and nowhere else. */
  create(body: CreateWebhookBody, options?: CallOptions) {
    return this.call<WebhookEndpointWithSecret>('POST', '/v1/webhooks', { ...options, body });
  }
  retrieve(id: string, options?: CallOptions) {
    return this.call<WebhookEndpoint>('GET', path`/v1/webhooks/${id}`, options);
  }
  update(id: string, body: UpdateWebhookBody, options?: CallOptions) {
    return this.call<WebhookEndpoint>('PATCH', path`/v1/webhooks/${id}`, { ...options, body });
  }
  delete(id: string, options?: CallOptions) {
    return this.call<WebhookEndpoint>('DELETE', path`/v1/webhooks/${id}`, options);
  }
  /** For 24 hours the old secret signs as well. */
  rotate(id: string, options?: CallOptions) {
    return this.call<WebhookEndpointWithSecret>('POST', path`/v1/webhooks/${id}/rotate`, options);
  }
  /** Sends a synthetic event now and answers how it went; a 2xx verifies the endpoint. */
  test(id: string, body: { event_type?: EventType } = {}, options?: CallOptions) {
    return this.call<WebhookDelivery>('POST', path`/v1/webhooks/${id}/test`, { ...options, body });
  }
  deliveries(id: string, query?: ListDeliveriesQuery, options?: CallOptions) {
    return this.pages<WebhookDelivery>(path`/v1/webhooks/${id}/deliveries`, query, options);
  }
  redeliver(id: string, deliveryId: string, options?: CallOptions) {
    return this.call<WebhookDelivery>('POST', path`/v1/webhooks/${id}/deliveries/${deliveryId}/redeliver`, options);
  }
  /** Delivers again every event that the endpoint wants, from this `sequence` on. */
  replay(id: string, body: { from_sequence: number }, options?: CallOptions) {
    return this.call<WebhookReplay>('POST', path`/v1/webhooks/${id}/replay`, { ...options, body });
  }
}
