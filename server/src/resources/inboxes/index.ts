// The door. Inboxes: the mailboxes that mail leaves from and answers come to; their day, ramp, cap and pace.
// Asked by sends, campaigns and the loops; told by sending (day, pace, trouble) and by reading (cursors).
export { capLeft, dayAt, MAY_SEND } from './rules.ts';
export { serverOf } from './servers.ts';
export { gapMs } from './settings.ts';
export { type Row as Inbox, addresses, byIds, folders, saveFolder, withAnyTag } from './store.ts';
export { present as presentInbox } from './wire.ts';
