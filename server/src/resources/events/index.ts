// The door. Events: what happened, immutable, in the same commit as its cause.
// Told by every verb and loop that changes state; read by callers and, later, by webhook deliveries.
export type { EventType } from './catalog.ts';
export { type Happening, record } from './record.ts';
