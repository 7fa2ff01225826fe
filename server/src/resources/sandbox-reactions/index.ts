// The door. Sandbox reactions: what the recipients of a sandbox inbox will do with a mail, drawn when it was sent.
// Made by whatever sends; carried out by engine/inbound, as if it had come in.
export { isRefused } from './rules.ts';
export { planReactions } from './plan-reactions.ts';
export { type Row as SandboxReaction, dueReactions, endReactions } from './store.ts';
