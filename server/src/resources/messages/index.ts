// The door. Messages: what left and what came, as headers and a verdict; bodies stay in the mailbox.
// Told by sending (outbound) and by reading (inbound).
export { type Outbound, type Row as Message, insertOnce, insertOutbound } from './store.ts';
export { present as presentMessage } from './wire.ts';
