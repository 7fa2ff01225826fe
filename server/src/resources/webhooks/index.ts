// The door. Webhooks: endpoints of customers, and the log of what was delivered to them.
// Asked by the delivery loop, which takes events up, posts them and writes the outcome down.
export type { Delivery } from './delivery-store.ts';
export { type Outcome, exchange } from './exchange.ts';
export { LOGGED, type LoggedEvent, payloadOf } from './payload.ts';
export { LOG_KEPT_MS, healthAfter, isHopeless, retryAt } from './rules.ts';
export type { Row as Webhook } from './store.ts';
export { VERIFICATION, verified } from './verify.ts';
export { present as presentWebhook } from './wire.ts';
