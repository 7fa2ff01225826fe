// The door. Warm-up: what the inboxes of the pool write to each other, its rules, and what came of it.
// Asked by engine/warmup, which carries it out, and by reading, which recognises its mails.
export { isAboutWarmup, takeWarmup } from './receive.ts';
export { answersAt, dayName, inWorkingHours, marksOf, nextWorkingDay, planDay, warmupLimit } from './rules.ts';
export { type Tally, count } from './statistics.ts';
export { type Row as WarmupMail, forgetOld, plan } from './store.ts';
export { textOf } from './texts.ts';
export { HEADER, tokenOf } from './token.ts';
