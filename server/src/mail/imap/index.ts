// The door to mailboxes.
export type { MailboxLimits } from './limits.ts';
export { mailboxOpener } from './mailbox-opener.ts';
