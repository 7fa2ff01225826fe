// The door. Sequences: ordered letters with waits between them, from which campaigns take their own copies.
// Asked by campaigns, whose steps obey the same rules.
export type { Variant } from './rules.ts';
export { byId as sequenceById, stepsOf } from './store.ts';
export { presentStep, stepFields } from './wire.ts';
