// The door. Audiences: named groups of contacts.
// Asked by campaigns, which take a snapshot; filled by callers and imports.
export { type AttachOutcome, attachContacts } from './attach-contacts.ts';
export { createAudience } from './create-audience.ts';
export { byId as audienceById, contactIdsOf } from './store.ts';
