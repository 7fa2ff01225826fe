// The door. Warm-up: the inboxes of the pool write to each other, look at what came, take it out of Junk and answer.
export { type Warmup, type WarmupOptions, warmupLoop } from './loop.ts';
