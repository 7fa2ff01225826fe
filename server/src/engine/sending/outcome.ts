import type { Accepted, Broken, Refused, Unwritten } from '#mail/mail.ts';
import type { Send } from '#resources/sends/index.ts';
import type { Denial } from './rules.ts';

export type Outcome =
  | Accepted
  | Refused
  | Broken
  /** The gates said no; nothing left. */
  | { kind: 'denied'; denial: Denial }
  /** It was released, but this process knows that it never wrote the dot. */
  | Unwritten;

export type Finished = { send: Pick<Send, 'workspace_id' | 'id' | 'mode' | 'fence'>; outcome: Outcome; at: Date };
