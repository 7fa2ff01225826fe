// The door. Workspaces: the tenants, their plans and what they have used.
// Asked by whatever counts against a plan; made by the operator's command.
export { createWorkspace } from './create-workspace.ts';
export { PLANS, type Plan } from './plans.ts';
export { assertRoom, noRoom, roomFor } from './room.ts';
export { countUsage, monthOf, sendsLeft } from './usage.ts';
