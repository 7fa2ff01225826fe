// The door. Sequences: ordered letters with waits between them, from which campaigns take their own copies.
// Asked by campaigns, whose steps obey the same rules.
export { type Edited, addStep, changeStep, removeStep, reorderSteps } from './edit-steps.ts';
export { MAX_STEPS, type Step, type StepBody, type Variant } from './rules.ts';
export { type StepTable, stepTable } from './step-table.ts';
export { byId as sequenceById, stepsOf } from './store.ts';
export { NewStep, ReorderBody, StepPatch, presentStep, stepFields } from './wire.ts';
