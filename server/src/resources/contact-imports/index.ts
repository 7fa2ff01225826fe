// The door. Contact imports: files of people, read whole or not at all.
// Asked by callers only.
export { importContacts } from './import-contacts.ts';
export { readFile } from './read-file.ts';
