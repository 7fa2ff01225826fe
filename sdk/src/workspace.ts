import { Resource } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { Workspace } from './types.gen.ts';

/** The workspace of the key, with its limits and usage. */
export class WorkspaceResource extends Resource {
  retrieve(options?: CallOptions) {
    return this.call<Workspace>('GET', '/v1/workspace', options);
  }
}
