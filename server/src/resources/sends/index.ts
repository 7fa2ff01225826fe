// The door. Sends: the intention to mail one person once, and what became of it.
// Made by callers and by campaigns; carried out by the engine.
export { filesOf, forgetFiles } from './attachments.ts';
export { cancelOpenOf } from './cancel.ts';
export { cancelWaitingOf } from './cancel-for-inbox.ts';
export { copiedAmong, copiedOn } from './copies.ts';
export { createSends, scheduleAll } from './create.ts';
export { MAX_LATENESS_MS, TAKE_BACK_AFTER_MS, failOverdue } from './fail-overdue.ts';
export { freshSend, newMessageId } from './letter.ts';
export { BODIES, MAX_SUBJECT, Subject, needsBody } from './letter-wire.ts';
export { stepsLeaving, takeBackSends, waitingEnrollments, waitingWithOtherText } from './of-campaign.ts';
export { outboundOf } from './sandbox.ts';
export { renderLetter, templateCache } from './render-letter.ts';
export { type Contents, type Letter, type Row as Send, byId as sendById, byIds, byMessageIds, locked as lockSend, setHeld } from './store.ts';
export { takeBackOverdue } from './take-back-overdue.ts';
export { Send as SendWire, present as presentSend } from './wire.ts';
