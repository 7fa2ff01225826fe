import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { Resource } from './resource.ts';
import type { Deleted, StepBody } from './steps.ts';
import type { CallOptions } from './transport.ts';
import type { Sequence, SequenceStep } from './types.gen.ts';

export type CreateSequenceBody = { name: string; description?: string | null; steps?: StepBody[] };
export type UpdateSequenceBody = { name?: string; description?: string | null };

export class Sequences extends Resource {
  /** Without their steps. */
  list(query?: ListQuery, options?: CallOptions) {
    return this.pages<Sequence>('/v1/sequences', query, options);
  }
  create(body: CreateSequenceBody, options?: CallOptions) {
    return this.call<Sequence>('POST', '/v1/sequences', { ...options, body });
  }
  retrieve(id: string, options?: CallOptions) {
    return this.call<Sequence>('GET', path`/v1/sequences/${id}`, options);
  }
  update(id: string, body: UpdateSequenceBody, options?: CallOptions) {
    return this.call<Sequence>('PATCH', path`/v1/sequences/${id}`, { ...options, body });
  }
  /** Campaigns keep their own copy of the steps. */
  delete(id: string, options?: CallOptions) {
    return this.call<Sequence>('DELETE', path`/v1/sequences/${id}`, options);
  }
  addStep(id: string, body: StepBody, options?: CallOptions) {
    return this.call<SequenceStep>('POST', path`/v1/sequences/${id}/steps`, { ...options, body });
  }
  updateStep(id: string, stepId: string, body: StepBody, options?: CallOptions) {
    return this.call<SequenceStep>('PATCH', path`/v1/sequences/${id}/steps/${stepId}`, { ...options, body });
  }
  deleteStep(id: string, stepId: string, options?: CallOptions) {
    return this.call<Deleted<SequenceStep>>('DELETE', path`/v1/sequences/${id}/steps/${stepId}`, options);
  }
  /** `step_ids` holds every step of the sequence, in the new order. */
  reorderSteps(id: string, body: { step_ids: string[] }, options?: CallOptions) {
    return this.call<Sequence>('POST', path`/v1/sequences/${id}/steps/reorder`, { ...options, body });
  }
}
