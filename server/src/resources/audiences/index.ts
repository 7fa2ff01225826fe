// The door. Audiences: named groups of contacts.
// Asked by campaigns, which take a snapshot; filled by callers and imports.
export { createAudience } from './create-audience.ts';
export { addMembers, byId as audienceById, contactIdsOf } from './store.ts';
