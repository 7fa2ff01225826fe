// The door. Sending: takes up sends that are due and carries each to its outcome; settles what a crash left.
export { type Sending, type SendingOptions, sendingLoop } from './loop.ts';
export { type ReconcilerOptions, reconcilerLoop } from './reconcile.ts';
export { sendDueOfSandbox } from './sandbox-batch.ts';
