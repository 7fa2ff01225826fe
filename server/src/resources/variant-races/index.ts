// The door. Variant races: the variants of a campaign's step against its own text, until one has won (`auto_winner`).
// Told by whatever learns of a mail that was sent, answered, opened or clicked; judged by campaigns before they plan.
export { type Arm, isRacing, winnerOf } from './rules.ts';
export { type Mark, countsOf, forgetMarks, markAll, recount, takeMarks } from './store.ts';
