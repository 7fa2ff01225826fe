// The door. Messages: what left and what came, as headers and a verdict; bodies stay in the mailbox.
// Told by sending (outbound) and by reading (inbound).
export { type Outbound, type Row as Message, byMessageId, insertOnce, insertOutbound, newestOf } from './store.ts';
export { type ThreadKey, threadIdOf, threadKeyOf } from './thread-id.ts';
export { Message as MessageWire, present as presentMessage } from './wire.ts';
