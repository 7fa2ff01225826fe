// The door. Workspaces: the tenants, their plans and what they have used.
// Asked by whatever counts against a plan; made by the operator's command.
export { createWorkspace } from './create-workspace.ts';
export { assertPaid } from './paid.ts';
export { monthOf } from './month.ts';
export { PLANS, type Plan } from './plans.ts';
export { assertRoom, noRoom, noteAdded, roomFor, takeWebhookRoom } from './room.ts';
export { freeingRoom } from './thresholds.ts';
export { countUsage, isEntitled, sendsLeft } from './usage.ts';
