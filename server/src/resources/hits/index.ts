// The door. Hits: the pixel of a mail was asked for, or one of its links was followed; and who did it, as far as can be told.
// Told by the addresses in mails, and by sandbox recipients; opens and clicks tell events, and steer nothing.
export type { Judged } from './judge.ts';
export { keepLooks } from './simulate.ts';
export { type Hit, recordClick, recordOpen } from './record.ts';
