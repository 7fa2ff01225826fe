// The door. Sends: the intention to mail one person once, and what became of it.
// Made by callers and by campaigns; carried out by the engine.
export { cancelOpenOf } from './cancel.ts';
export { scheduleAll } from './create.ts';
export { MAX_LATENESS_MS, failOverdue } from './fail-overdue.ts';
export { freshSend, newMessageId } from './letter.ts';
export { renderLetter, templateCache } from './render-letter.ts';
export { type Bodiless, type Row as Send, byMessageIds, setHeld } from './store.ts';
export { present as presentSend } from './wire.ts';
