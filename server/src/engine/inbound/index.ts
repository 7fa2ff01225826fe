// The door. Inbound: reads the mailboxes, judges what came, and tells those whom it concerns.
export { type Inbound, type InboundOptions, inboundLoop } from './loop.ts';
export { reactDue, sandboxLoop } from './sandbox.ts';
