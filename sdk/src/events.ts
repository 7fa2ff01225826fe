import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { Resource } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { Event } from './types.gen.ts';

export type ListEventsQuery = ListQuery<{ type: Event['type']; resource_id: string; after_sequence: number }>;

export class Events extends Resource {
  list(query?: ListEventsQuery, options?: CallOptions) {
    return this.pages<Event>('/v1/events', query, options);
  }
  retrieve(id: string, options?: CallOptions) {
    return this.call<Event>('GET', path`/v1/events/${id}`, options);
  }
}
