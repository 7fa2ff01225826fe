import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { type Confirm, Resource } from './resource.ts';
import type { Deleted, StepBody } from './steps.ts';
import type { Answered, CallOptions } from './transport.ts';
import type {
  Campaign,
  CampaignAttachResult,
  CampaignContact,
  CampaignContactExplanation,
  CampaignDryRun,
  CampaignMoveResult,
  CampaignStep,
  Send,
} from './types.gen.ts';

export type ListCampaignsQuery = ListQuery<{ status: Campaign['status'] }>;
export type ListCampaignContactsQuery = ListQuery<{ status: CampaignContact['status']; email: string }>;
type CampaignFields = {
  /** What is not given keeps its value, or the usual hours: Monday to Friday, 9 to 17, UTC. */
  schedule?: Partial<Campaign['schedule']>;
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

export type TestSendBody = {
  /** Who gets it: you, or a colleague. */
  to: string;
  /** null for the step's own text. Default: the winner, else the step's own text. */
  variant_id?: string | null;
  /** Whose data fills the variables; nothing happens to that contact. */
  contact_id?: string;
  /** One of the campaign's inboxes; the first that can send by default. */
  inbox_id?: string;
} & ({ step_id: string } | { step_order: number });

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
  /** A draft or a paused campaign. */
  update(id: string, body: UpdateCampaignBody, options?: CallOptions) {
    return this.call<Campaign>('PATCH', path`/v1/campaigns/${id}`, { ...options, body });
  }
  /** A running campaign needs `confirm: true`. */
  delete(id: string, query?: Confirm, options?: CallOptions) {
    return this.call<Campaign>('DELETE', path`/v1/campaigns/${id}`, { ...options, query });
  }
  /** One step, sent to an address of yours as its recipients will see it. The campaign does not learn of it. */
  testSend(id: string, body: TestSendBody, options?: CallOptions) {
    return this.call<Send>('POST', path`/v1/campaigns/${id}/test_send`, { ...options, body });
  }
  /** How far each contact has come. */
  contacts(id: string, query?: ListCampaignContactsQuery, options?: CallOptions) {
    return this.pages<CampaignContact>(path`/v1/campaigns/${id}/contacts`, query, options);
  }
  /** Why a contact gets its next mail now, or does not: every gate between it and the planner. */
  explain(id: string, contactId: string, options?: CallOptions) {
    return this.call<CampaignContactExplanation>('GET', path`/v1/campaigns/${id}/contacts/${contactId}/explain`, options);
  }
  addContacts(id: string, body: AddCampaignContactsBody, options?: CallOptions) {
    return this.call<CampaignAttachResult>('POST', path`/v1/campaigns/${id}/contacts`, { ...options, body });
  }
  moveContacts(id: string, body: MoveCampaignContactsBody, options?: CallOptions) {
    return this.call<CampaignMoveResult>('POST', path`/v1/campaigns/${id}/contacts/move`, { ...options, body });
  }
  /** With `dry_run: true` nothing is written: the answer lists what stands in the way and forecasts the sends. */
  start(id: string, query: { dry_run: true }, options?: CallOptions): Promise<Answered<CampaignDryRun>>;
  start(id: string, query?: { dry_run?: false }, options?: CallOptions): Promise<Answered<Campaign>>;
  start(id: string, query?: { dry_run?: boolean }, options?: CallOptions): Promise<Answered<Campaign | CampaignDryRun>>;
  start(id: string, query?: { dry_run?: boolean }, options?: CallOptions) {
    return this.call<Campaign | CampaignDryRun>('POST', path`/v1/campaigns/${id}/start`, { ...options, query });
  }
  pause(id: string, options?: CallOptions) {
    return this.call<Campaign>('POST', path`/v1/campaigns/${id}/pause`, options);
  }
  resume(id: string, options?: CallOptions) {
    return this.call<Campaign>('POST', path`/v1/campaigns/${id}/resume`, options);
  }
  /** In their order. */
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
