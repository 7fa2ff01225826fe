import type { Config } from '#platform/config.ts';

const DEFAULT_REDIRECT = '/dashboard/inboxes';
const MAX_LENGTH = 2_000;

/** The origin of the dashboard. */
export const appOrigin = ({ APP_ORIGIN, BASE_URL, HOST, PORT }: Config): string => new URL(APP_ORIGIN ?? BASE_URL ?? `http://${HOST}:${PORT}`).origin;

/**
 * Where the browser goes in the end: `given` where it is an https address on the dashboard's own origin, else the dashboard's page of inboxes.
 * Whatever a browser and we could read differently (backslashes, control characters, user names, missing slashes) counts as another origin.
 */
export function redirectUrl(given: string | undefined, origin: string): string {
  if (given === undefined || given.length > MAX_LENGTH) return DEFAULT_REDIRECT;
  if (!/^https:\/\/[^\s\\@\p{Cc}]+$/iu.test(given) || !URL.canParse(given)) return DEFAULT_REDIRECT;
  const url = new URL(given);
  return url.origin === origin && url.username === '' && url.password === '' ? url.href : DEFAULT_REDIRECT;
}
