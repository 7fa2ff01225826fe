// The door. Inboxes: the mailboxes that mail leaves from and answers come to; their day, ramp, cap and pace.
// Asked by sends, campaigns and the loops; told by sending (day, pace, trouble) and by reading (cursors).
export { revokeInbox } from './revoke.ts';
export { capLeft, dayAt, effectiveDailyLimit, MAY_SEND } from './rules.ts';
export { judgeHealth, noteTroubles } from './judge-health.ts';
export { noteNoConnection } from './no-connection.ts';
export { type SandboxConfig, withSandboxDefaults } from './sandbox-config.ts';
export { serverOf } from './servers.ts';
export { gapMs } from './settings.ts';
export { takeUnit } from './take-unit.ts';
export { type Row as Inbox, addresses, byIds, folders, saveFolder, withAnyTag } from './store.ts';
export { Inbox as InboxForm, present as presentInbox } from './wire.ts';
export { Expand, ExpandQuery, InboxSummary, expanding } from './summary-wire.ts';
