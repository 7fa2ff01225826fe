// The only file that reads the environment. Every mistake is reported at once, before anything starts.
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true');
const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

const sealingKey = z.string().refine((text) => Buffer.from(text, 'base64').length === 32, 'Not 32 bytes in base64.');

/** Every setting: its name in the environment, its form, its default and what it means. The table in docs/operations.md is made from this. */
export const SETTINGS = {
  PORT: whole(0, 65_535).default(3000).describe('Port of the API; 0 takes a free one.'),
  HOST: z.string().default('127.0.0.1').describe('Address that the API listens on.'),
  BASE_URL: z.url({ protocol: /^https?$/ }).optional().describe('Where callers reach the API; default http://HOST:PORT.'),
  DATA_DIR: z.string().default('./data').describe('Folder of the embedded database, the journal of accepted mails and the sealing key.'),
  DATABASE_URL: z.string().optional().describe('A PostgreSQL 15 or later to use instead of the embedded one.'),
  SEALING_KEY: sealingKey.optional().describe('32 bytes in base64 that seal passwords at rest; default: made once and kept in DATA_DIR.'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info').describe('Least level that is logged.'),
  SANDBOX_DOMAIN: z.string().default('sandbox.postrider.test').describe('Domain of synthetic addresses.'),
  ALLOW_PRIVATE_MAIL_HOSTS: flag.describe('Let mailboxes live on loopback and private addresses.'),
  MAIL_CA_FILE: z.string().optional().describe('PEM file of certificate authorities that are trusted for mail servers besides the usual ones.'),
  RATE_LIMIT_PER_SECOND: whole(1, 1_000_000).default(100).describe('Requests a second and workspace, in the long run.'),
  RATE_LIMIT_BURST: whole(1, 1_000_000).default(200).describe('Requests that a workspace may make at once.'),
  CLOCK_SPEED: z.coerce.number().min(1).max(10_000).default(1).describe('For demonstrations: how many times faster the calendar runs.'),
  CLOCK_SINCE: z.iso.datetime().optional().describe('With CLOCK_SPEED: the instant from which the calendar runs faster.'),
} as const; // prettier-ignore

const Settings = z.object(SETTINGS);
export type Config = Readonly<z.output<typeof Settings>>;

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
