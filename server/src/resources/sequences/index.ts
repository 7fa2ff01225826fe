// The door. Sequences: ordered letters with waits between them, from which campaigns take their own copies.
// Asked by campaigns, whose steps obey the same rules.
export { type Edited, addStep, changeStep, removeStep, reorderSteps } from './edit-steps.ts';
export { type AutoWinner, MAX_STEPS, type Step, type StepBody, type StepText, type Variant, openTexts } from './rules.ts';
export { stepTable } from './step-table.ts';
export { lockKey as lockSequence, stepsOf } from './store.ts';
export { NewStep, ReorderBody, StepPatch, presentStep, stepFields } from './wire.ts';
