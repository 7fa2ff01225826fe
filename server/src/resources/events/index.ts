// The door. Events: what happened, immutable, in the same commit as its cause.
// Told by every verb and loop that changes state; read by callers and by webhook deliveries.
export { EVENT_TYPES, type EventType } from './catalog.ts';
export { MEANINGS, type Meaning } from './meanings.ts';
export { type Happening, record } from './record.ts';
