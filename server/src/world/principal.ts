import type { Mode, Scope } from './ctx.ts';

/** Who calls, as their credential proves it. */
export type Principal = {
  workspaceId: string;
  mode: Mode;
  scope: Scope;
  apiKeyId: string | null;
  /** Guarded operations need no confirm=true from this caller. */
  autoConfirm: boolean;
};
