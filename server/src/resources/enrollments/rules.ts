import type { Row } from './store.ts';

type Status = Row['status'];

/** From which states an enrollment may end as what. A reply after the last step still counts as one; an unsubscribe outlasts a reply. */
export const MAY_END = {
  replied: ['active', 'finished'],
  bounced: ['active', 'finished'],
  unsubscribed: ['active', 'replied'],
  failed: ['active'],
  removed: ['active'],
} as const satisfies Partial<Record<Status, readonly Status[]>>;

export type Ending = keyof typeof MAY_END;
