// The only file that reads the environment. Every mistake is reported at once, before anything starts.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isBlock } from './ip.ts';

const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');
const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

const sealingKey = z.string().refine((text) => Buffer.from(text, 'base64').length === 32, 'Not 32 bytes in base64.');

const list = <T extends z.ZodType<unknown, string>>(one: T) =>
  z.string().default('').transform(partsOf).pipe(z.array(one)); // prettier-ignore
const partsOf = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
const addresses = z.string().refine(isBlock, 'No IP address or block of them.');

const limit = z.int().min(0).nullable().exactOptional();
const limits = z.strictObject({ contacts: limit, sends_per_month: limit, webhooks: limit, inboxes: limit }).exactOptional();
const planLimits = z
  .string()
  .default('{}')
  .transform((text, check): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      check.addIssue({ code: 'custom', message: 'Not JSON.' });
      return z.NEVER;
    }
  })
  .pipe(z.strictObject({ pro: limits, scale: limits, hyper: limits }));

/** Every setting: its name in the environment, its form, its default and what it means. The table in docs/operations.md is made from this. */
export const SETTINGS = {
  PORT: whole(0, 65_535).default(3000).describe('Port of the API; 0 takes a free one.'),
  HOST: z.string().default('127.0.0.1').describe('Address that the API listens on.'),
  BASE_URL: z.url({ protocol: /^https?$/ }).optional().describe('Where callers reach the API; default http://HOST:PORT.'),
  DATA_DIR: z.string().default('./data').describe('Folder of the embedded database, the journal of accepted mails and the sealing key.'),
  DATABASE_URL: z.string().optional().describe('A PostgreSQL 15 or later to use instead of the embedded one.'),
  DATABASE_CONNECTIONS: whole(2, 1_000).default(40)
    .describe('Connections to the database that each process opens at most: half for the service itself, half for calls behind row-level security.'),
  SEALING_KEY: sealingKey.optional().describe('32 bytes in base64 that seal passwords at rest; default: made once and kept in DATA_DIR.'),
  OLD_SEALING_KEYS: list(sealingKey)
    .describe('Sealing keys of before, parted by commas: what they sealed still opens, and links that they signed still work.'),
  TRACKING_URL: z.url({ protocol: /^https?$/ }).optional()
    .describe('Where the links in mails lead (unsubscribe, opens, clicks): a domain of your own that reaches this service; default BASE_URL.'),
  TRUSTED_PROXIES: list(addresses).describe('IP addresses and blocks of proxies, parted by commas, whose X-Forwarded-For is believed.'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info').describe('Least level that is logged.'),
  SANDBOX_DOMAIN: z.string().default('sandbox.postrider.test').describe('Domain of synthetic addresses.'),
  APP_ORIGIN: z.url({ protocol: /^https?$/ }).optional().describe('Origin of the dashboard; default that of BASE_URL.'),
  GOOGLE_CLIENT_ID: z.string().optional().describe('OAuth client for connecting Google mailboxes; with its secret, connect links can be made.'),
  GOOGLE_CLIENT_SECRET: z.string().optional().describe('Its secret.'),
  MICROSOFT_CLIENT_ID: z.string().optional().describe('OAuth client for connecting Microsoft mailboxes.'),
  MICROSOFT_CLIENT_SECRET: z.string().optional().describe('Its secret.'),
  MAILPROVIDER_CLIENT_ID: z.string().optional().describe('OAuth 2.0 client for another provider of mailboxes.'),
  MAILPROVIDER_CLIENT_SECRET: z.string().optional().describe('Its secret.'),
  MAILPROVIDER_AUTHORIZE_URL: z.url({ protocol: /^https$/ }).optional().describe('Where that provider asks its users for consent.'),
  MAILPROVIDER_TOKEN_URL: z.url({ protocol: /^https$/ }).optional().describe('Where that provider gives out tokens.'),
  ALLOW_PRIVATE_MAIL_HOSTS: flag.describe('Let mailboxes live on loopback and private addresses.'),
  ALLOW_PRIVATE_WEBHOOKS: z.enum(['true', 'false']).optional()
    .describe('Let webhooks of test mode go to loopback and private addresses; default true with the embedded database, else false.'),
  MAIL_CA_FILE: z.string().optional().describe('PEM file of certificate authorities that are trusted for mail servers besides the usual ones.'),
  RATE_LIMIT_PER_SECOND: whole(1, 1_000_000).default(100).describe('Requests a second and workspace, in the long run.'),
  RATE_LIMIT_BURST: whole(1, 1_000_000).default(200).describe('Requests that a workspace may make at once.'),
  AUTH_FAILURES_PER_MINUTE: whole(1, 1_000_000).default(30)
    .describe('Calls without a valid key that one address may make in a minute before it gets 429; valid keys are never held back for them.'),
  WARMUP_DAILY_LIMIT: whole(0, 100).default(20).describe('Warm-up mails that an inbox of the pool sends a day at most; 0 halts the warm-up.'),
  WARMUP_ACROSS_WORKSPACES: flag.describe('Let inboxes of different workspaces warm each other up: their owners then see each other\'s addresses.'),
  METRICS_TOKEN: z.string().min(8).optional().describe('Its bearer may read /metrics; without it everybody who reaches the port may.'),
  PLAN_LIMITS: planLimits.describe('Limits of plans that differ from the usual ones, as JSON: {"pro": {"contacts": 10000}}; null is without limit.'),
  CLOCK_SPEED: z.coerce.number().min(1).max(10_000).default(1).describe('For demonstrations: how many times faster the calendar runs.'),
  CLOCK_SINCE: z.iso.datetime().optional().describe('With CLOCK_SPEED: the instant from which the calendar runs faster.'),
} as const; // prettier-ignore

const Settings = z.object(SETTINGS);
export type Config = Readonly<z.output<typeof Settings>>;

/** Whether webhooks of test mode may go to private addresses; those of live mode never may. */
export const allowsPrivateWebhooks = ({ ALLOW_PRIVATE_WEBHOOKS: said, DATABASE_URL: database }: Config): boolean =>
  said === undefined ? database === undefined : said === 'true';

/** The faults of the environment, one line each. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Read the settings from `env`. `NAME_FILE` names a file that holds the value of NAME. Empty counts as absent. */
export function configFrom(env: Record<string, string | undefined>): Config {
  const faults: string[] = [];
  const given: Record<string, string> = {};
  for (const name of Object.keys(SETTINGS)) {
    const file = name === 'MAIL_CA_FILE' ? undefined : env[`${name}_FILE`];
    const value = (file ? fileText(file, `${name}_FILE`, faults) : env[name])?.trim();
    if (value !== undefined && value !== '') given[name] = value;
  }
  const parsed = Settings.safeParse(given);
  if (!parsed.success) for (const issue of parsed.error.issues) faults.push(`${issue.path.join('.')}: ${issue.message}`);
  if (faults.length || !parsed.success) throw new ConfigError(`The settings do not hold:\n${faults.map((one) => `  ${one}`).join('\n')}`);
  return Object.freeze(parsed.data);
}

/**
 * A worker of its own writes mails whose links lead to an API that it does not know by itself: throws ConfigError where nobody says where that is.
 * (Beside an API in one process they may lead to this machine, which is right for whoever tries things out there.)
 */
export function assertLinksLeadSomewhere({ BASE_URL: base, TRACKING_URL: tracking }: Config): void {
  if (base !== undefined || tracking !== undefined) return;
  const why = 'BASE_URL: A worker of its own needs it (or TRACKING_URL): the unsubscribe links of its mails lead there. Set what the API has.';
  throw new ConfigError(`The settings do not hold:\n  ${why}`);
}

/** The settings of this process. */
export const configOfProcess = (): Config => configFrom(process.env);

function fileText(path: string, name: string, faults: string[]): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    faults.push(`${name}: ${(error as Error).message}`);
    return undefined;
  }
}
