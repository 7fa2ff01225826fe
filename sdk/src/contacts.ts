import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { type BatchResult, Resource } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { Contact } from './types.gen.ts';

type LeadStatus = NonNullable<Contact['lead_status']>;

export type ListContactsQuery = ListQuery<{ email: string; q: string; global_status: Contact['global_status']; lead_status: LeadStatus }>;
export type CreateContactBody = { email: string; attributes?: Record<string, unknown>; global_status?: Contact['global_status'] };
/** Attributes are merged; one set to null is removed. */
export type UpdateContactBody = { attributes?: Record<string, unknown>; global_status?: Contact['global_status'] };
/** `campaign_id` limits `not_interested` to that campaign's enrollment. */
export type SetLeadStatusBody = { lead_status: LeadStatus; campaign_id?: string };

export class Contacts extends Resource {
  list(query?: ListContactsQuery, options?: CallOptions) {
    return this.pages<Contact>('/v1/contacts', query, options);
  }
  /** A known email answers 200 with the contact as it is; a new one 201. `lastResponse.status` tells them apart. */
  create(body: CreateContactBody, options?: CallOptions) {
    return this.call<Contact>('POST', '/v1/contacts', { ...options, body });
  }
  /** Up to 1,000 contacts; each row fails on its own. */
  batch(body: { contacts: CreateContactBody[] }, options?: CallOptions) {
    return this.call<BatchResult<Contact>>('POST', '/v1/contacts/batch', { ...options, body });
  }
  retrieve(id: string, options?: CallOptions) {
    return this.call<Contact>('GET', path`/v1/contacts/${id}`, options);
  }
  update(id: string, body: UpdateContactBody, options?: CallOptions) {
    return this.call<Contact>('PATCH', path`/v1/contacts/${id}`, { ...options, body });
  }
  delete(id: string, options?: CallOptions) {
    return this.call<Contact>('DELETE', path`/v1/contacts/${id}`, options);
  }
  setLeadStatus(id: string, body: SetLeadStatusBody, options?: CallOptions) {
    return this.call<Contact>('POST', path`/v1/contacts/${id}/lead_status`, { ...options, body });
  }
}
