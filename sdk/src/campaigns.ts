import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { Resource } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { Campaign, CampaignContact } from './types.gen.ts';

export type ListCampaignsQuery = ListQuery<{ status: Campaign['status'] }>;
export type ListCampaignContactsQuery = ListQuery<{ status: CampaignContact['status']; email: string }>;
/** Either `sending_inbox_ids` or `sending_inbox_tags` must name who sends. */
export type CreateCampaignBody = {
  name: string;
  sequence_id: string;
  sending_inbox_tags?: string[];
  schedule?: Partial<Campaign['schedule']>;
  sending_inbox_ids?: string[];
  track_opens?: boolean;
  track_clicks?: boolean;
  inject_unsubscribe_footer?: boolean;
};
export type AddCampaignContactsBody = { skip_if_in_other_campaign?: boolean } & ({ contact_ids: string[] } | { audience_id: string });
export type AddCampaignContactsResult = {
  object: 'attach_result';
  attached: number;
  skipped: number;
  restored: number;
  already_enrolled: number;
  not_found: number;
  skipped_reasons: { unsubscribed: number; bounced: number; suppressed: number; verification: number; replied: number; in_other_campaign: number };
};
export class Campaigns extends Resource {
  list(query?: ListCampaignsQuery, options?: CallOptions) {
    return this.pages<Campaign>('/v1/campaigns', query, options);
  }
  /** A draft, with its own copy of the sequence's steps. */
  create(body: CreateCampaignBody, options?: CallOptions) {
    return this.call<Campaign>('POST', '/v1/campaigns', { ...options, body });
  }
  retrieve(id: string, options?: CallOptions) {
    return this.call<Campaign>('GET', path`/v1/campaigns/${id}`, options);
  }
  /** How far each contact has come. */
  contacts(id: string, query?: ListCampaignContactsQuery, options?: CallOptions) {
    return this.pages<CampaignContact>(path`/v1/campaigns/${id}/contacts`, query, options);
  }
  addContacts(id: string, body: AddCampaignContactsBody, options?: CallOptions) {
    return this.call<AddCampaignContactsResult>('POST', path`/v1/campaigns/${id}/contacts`, { ...options, body });
  }
  start(id: string, options?: CallOptions) {
    return this.call<Campaign>('POST', path`/v1/campaigns/${id}/start`, options);
  }
  pause(id: string, options?: CallOptions) {
    return this.call<Campaign>('POST', path`/v1/campaigns/${id}/pause`, options);
  }
  resume(id: string, options?: CallOptions) {
    return this.call<Campaign>('POST', path`/v1/campaigns/${id}/resume`, options);
  }
}
