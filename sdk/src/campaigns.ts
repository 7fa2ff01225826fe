import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { type Confirm, Resource } from './resource.ts';
import type { Deleted, StepBody } from './steps.ts';
import type { Answered, CallOptions } from './transport.ts';
import type { Campaign, CampaignContact, CampaignStep } from './types.gen.ts';

export type ListCampaignsQuery = ListQuery<{ status: Campaign['status'] }>;
export type ListCampaignContactsQuery = ListQuery<{ status: CampaignContact['status']; email: string }>;
type CampaignFields = {
  schedule?: Campaign['schedule'];
  sending_inbox_ids?: string[];
  track_opens?: boolean;
  track_clicks?: boolean;
  inject_unsubscribe_footer?: boolean;
};
/** Either `sending_inbox_ids` or `sending_inbox_tags` must name who sends. */
export type CreateCampaignBody = CampaignFields & { name: string; sequence_id: string; sending_inbox_tags?: string[] };
export type UpdateCampaignBody = CampaignFields & { name?: string; sending_inbox_tags?: string[] | null };
export type AddCampaignContactsBody = { skip_if_in_other_campaign?: boolean } & ({ contact_ids: string[] } | { audience_id: string });
export type MoveCampaignContactsBody = {
  to_campaign_id: string;
  contact_ids?: string[];
  /** Without `contact_ids`: takes every enrollment in this status. */
  status?: Exclude<CampaignContact['status'], 'removed'>;
  /** Copies instead of moving. */
  keep_in_source?: boolean;
  skip_if_in_other_campaign?: boolean;
};
type Enrolled = {
  attached: number;
  skipped: number;
  restored: number;
  already_enrolled: number;
  not_found: number;
  skipped_reasons: { unsubscribed: number; bounced: number; suppressed: number; verification: number; replied: number; in_other_campaign: number };
};
export type AddCampaignContactsResult = Enrolled & { object: 'attach_result' };
export type MoveCampaignContactsResult = Enrolled & {
  object: 'move_result';
  removed_from_source: number;
  source_campaign_id: string;
  target_campaign_id: string;
  kept_in_source: boolean;
};
export type CampaignStartDryRun = {
  object: 'campaign_start_dry_run';
  ok: boolean;
  errors: Record<string, unknown>[];
  warnings: Record<string, unknown>[];
  contacts: number;
  first_send_at: string | null;
  estimated_completion_at: string | null;
  forecast: Record<string, unknown>[];
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
  update(id: string, body: UpdateCampaignBody, options?: CallOptions) {
    return this.call<Campaign>('PATCH', path`/v1/campaigns/${id}`, { ...options, body });
  }
  /** A running campaign needs `confirm: true`. */
  delete(id: string, query?: Confirm, options?: CallOptions) {
    return this.call<Campaign>('DELETE', path`/v1/campaigns/${id}`, { ...options, query });
  }
  /** How far each contact has come. */
  contacts(id: string, query?: ListCampaignContactsQuery, options?: CallOptions) {
    return this.pages<CampaignContact>(path`/v1/campaigns/${id}/contacts`, query, options);
  }
  addContacts(id: string, body: AddCampaignContactsBody, options?: CallOptions) {
    return this.call<AddCampaignContactsResult>('POST', path`/v1/campaigns/${id}/contacts`, { ...options, body });
  }
  moveContacts(id: string, body: MoveCampaignContactsBody, options?: CallOptions) {
    return this.call<MoveCampaignContactsResult>('POST', path`/v1/campaigns/${id}/contacts/move`, { ...options, body });
  }
  /** With `dry_run: true` nothing is written: the answer lists what stands in the way and forecasts the sends. */
  start(id: string, query: { dry_run: true }, options?: CallOptions): Promise<Answered<CampaignStartDryRun>>;
  start(id: string, query?: { dry_run?: false }, options?: CallOptions): Promise<Answered<Campaign>>;
  start(id: string, query?: { dry_run?: boolean }, options?: CallOptions): Promise<Answered<Campaign | CampaignStartDryRun>>;
  start(id: string, query?: { dry_run?: boolean }, options?: CallOptions) {
    return this.call<Campaign | CampaignStartDryRun>('POST', path`/v1/campaigns/${id}/start`, { ...options, query });
  }
  pause(id: string, options?: CallOptions) {
    return this.call<Campaign>('POST', path`/v1/campaigns/${id}/pause`, options);
  }
  resume(id: string, options?: CallOptions) {
    return this.call<Campaign>('POST', path`/v1/campaigns/${id}/resume`, options);
  }
  steps(id: string, query?: ListQuery, options?: CallOptions) {
    return this.pages<CampaignStep>(path`/v1/campaigns/${id}/steps`, query, options);
  }
  addStep(id: string, body: StepBody, options?: CallOptions) {
    return this.call<CampaignStep>('POST', path`/v1/campaigns/${id}/steps`, { ...options, body });
  }
  updateStep(id: string, stepId: string, body: StepBody, options?: CallOptions) {
    return this.call<CampaignStep>('PATCH', path`/v1/campaigns/${id}/steps/${stepId}`, { ...options, body });
  }
  deleteStep(id: string, stepId: string, options?: CallOptions) {
    return this.call<Deleted<CampaignStep>>('DELETE', path`/v1/campaigns/${id}/steps/${stepId}`, options);
  }
  /** `step_ids` holds every step, in the new order; steps that contacts have reached keep their place. */
  reorderSteps(id: string, body: { step_ids: string[] }, options?: CallOptions) {
    return this.call<Campaign>('POST', path`/v1/campaigns/${id}/steps/reorder`, { ...options, body });
  }
}
