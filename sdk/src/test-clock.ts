import { Resource } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { TestClock, TestClockAdvance } from './types.gen.ts';

/** Where to move the clock: to an instant (RFC 3339), or by so many seconds. */
export type AdvanceBody = { to: string; seconds?: never } | { seconds: number; to?: never };

/** The calendar of test mode. Test keys only. */
export class TestClockResource extends Resource {
  retrieve(options?: CallOptions) {
    return this.call<TestClock>('GET', '/v1/test_clock', options);
  }
  /** Answers when everything that falls due on the way has happened; give a long walk a long `timeoutMs`. */
  advance(body: AdvanceBody, options?: CallOptions) {
    return this.call<TestClockAdvance>('POST', '/v1/test_clock/advance', { ...options, body });
  }
}
