import type { Config } from '#platform/config.ts';

export const OAUTH_PROVIDERS = ['google', 'microsoft', 'mailprovider'] as const;
export type OAuthProvider = (typeof OAUTH_PROVIDERS)[number];

/** What people call them. */
export const NAMES: Readonly<Record<OAuthProvider, string>> = { google: 'Google', microsoft: 'Microsoft', mailprovider: 'your mail provider' };

const NEEDED = {
  google: ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  microsoft: ['MICROSOFT_CLIENT_ID', 'MICROSOFT_CLIENT_SECRET'],
  mailprovider: ['MAILPROVIDER_CLIENT_ID', 'MAILPROVIDER_CLIENT_SECRET', 'MAILPROVIDER_AUTHORIZE_URL', 'MAILPROVIDER_TOKEN_URL'],
} as const satisfies Record<OAuthProvider, readonly (keyof Config)[]>;

/** Whether the operator has told us all that this provider needs. */
export const isConfigured = (config: Config, provider: OAuthProvider): boolean => NEEDED[provider].every((name) => config[name] !== undefined);
