// The door. Suppressions: the addresses that a workspace must never mail again.
// Asked by whatever plans or releases a send; told by callers, hard bounces and the unsubscribe link.
export { suppressedAmong, suppressedStatement } from './store.ts';
export { type Reason, type Suppressing, suppress, suppressAll } from './suppress.ts';
