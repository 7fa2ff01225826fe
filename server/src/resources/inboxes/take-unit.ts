import { CAP_USED_UP, capLeft, dayAt } from './rules.ts';
import { gapMs } from './settings.ts';
import type { Row } from './store.ts';

type Spending = Parameters<typeof capLeft>[0] & Parameters<typeof gapMs>[0] & Pick<Row, 'status' | 'status_reason' | 'next_send_at'>;

/** Spend one unit of the day of an inbox that is locked: its count, its next moment by the gap, whether it is done for the day. Changes the row. */
export function takeUnit(inbox: Spending, now: Date): void {
  Object.assign(inbox, dayAt(inbox, now));
  inbox.day_count++;
  inbox.next_send_at = new Date(now.getTime() + gapMs(inbox, inbox.day_started_at, inbox.day_count));
  inbox.status_reason = null;
  if (capLeft(inbox, now) <= 0) Object.assign(inbox, { status: 'over_quota_today', status_reason: CAP_USED_UP });
}
