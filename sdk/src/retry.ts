import { ConnectionError, type PostriderError } from './errors.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** A service that wants to be left alone for longer than this (RFC 9110, section 10.2.3) gets its wish: the call fails at once. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** Whether the same call may do better a little later. */
export function isRetryable(error: PostriderError): boolean {
  return error instanceof ConnectionError || error.code === 'idempotency_in_progress' || error.status === 429 || error.status >= 500;
}

/**
 * How long to wait after attempt number `attempt` (from 0), in milliseconds: Retry-After and up to a quarter more, or half to all of
 * 500, 1000, 2000 … 8000. The spread keeps callers that failed together from coming back together.
 */
export function retryDelayMs(attempt: number, headers: Headers, random: () => number = Math.random): number {
  const wanted = retryAfterMs(headers.get('retry-after'));
  if (wanted !== undefined) return wanted > MAX_RETRY_AFTER_MS ? wanted : Math.min(wanted * (1 + random() / 4), MAX_RETRY_AFTER_MS);
  return Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS) * (0.5 + random() / 2);
}

/** Retry-After is a number of seconds, or from many proxies an HTTP date. */
function retryAfterMs(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
