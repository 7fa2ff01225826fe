// The door. Contacts: the people a workspace writes to, one per address and mode.
// Asked by whatever plans or renders a letter; told by imports, bounces, complaints and unsubscribes.
export { markBlacklisted, markBounced, markUnsubscribed } from './mark.ts';
export { deleteContact } from './delete-contact.ts';
export { LEAD_KEY, MAX_ATTRIBUTES, MAX_ATTRIBUTE_NAME, attributesFault, verificationOf } from './rules.ts';
export { setLeadStatus } from './set-lead-status.ts';
export { type Row as Contact, contactsByEmail, contactsByIds, lockByIds as lockContacts, lockShare } from './store.ts';
export { type ContactWanted, type Upserted, upsertContacts } from './upsert-contacts.ts';
export { Contact as ContactForm, LeadStatusBody, present as presentContact } from './wire.ts';
