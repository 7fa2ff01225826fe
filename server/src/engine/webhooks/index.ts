// The door. Webhooks: tells endpoints what has happened, until they have heard it or will not.
export { type Webhooks, type WebhooksOptions, webhooksLoop } from './loop.ts';
