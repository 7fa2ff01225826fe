import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { type Confirm, Resource, type RowProblem } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { Audience } from './types.gen.ts';

export type CreateAudienceBody = { name: string; description?: string | null };
export type UpdateAudienceBody = { name?: string; description?: string | null };
export type AddAudienceContactsResult = {
  object: 'attach_result';
  attached: number;
  skipped: number;
  errors: { index: number; contact_id: string; error: RowProblem }[];
};
export type AudienceContactRemoval = { object: 'audience_contact'; audience_id: string; contact_id: string; deleted: true };

export class Audiences extends Resource {
  list(query?: ListQuery, options?: CallOptions) {
    return this.pages<Audience>('/v1/audiences', query, options);
  }
  create(body: CreateAudienceBody, options?: CallOptions) {
    return this.call<Audience>('POST', '/v1/audiences', { ...options, body });
  }
  retrieve(id: string, options?: CallOptions) {
    return this.call<Audience>('GET', path`/v1/audiences/${id}`, options);
  }
  update(id: string, body: UpdateAudienceBody, options?: CallOptions) {
    return this.call<Audience>('PATCH', path`/v1/audiences/${id}`, { ...options, body });
  }
  /** An audience that holds contacts needs `confirm: true`. The contacts stay. */
  delete(id: string, query?: Confirm, options?: CallOptions) {
    return this.call<Audience>('DELETE', path`/v1/audiences/${id}`, { ...options, query });
  }
  addContacts(id: string, body: { contact_ids: string[] }, options?: CallOptions) {
    return this.call<AddAudienceContactsResult>('POST', path`/v1/audiences/${id}/contacts`, { ...options, body });
  }
  removeContact(id: string, contactId: string, options?: CallOptions) {
    return this.call<AudienceContactRemoval>('DELETE', path`/v1/audiences/${id}/contacts/${contactId}`, options);
  }
}
