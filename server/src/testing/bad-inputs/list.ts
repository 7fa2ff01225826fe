// Every bad input that the house must survive, by its id, and where it is shown: in a table beside this file, in a test that has the id in its
// title (`[N15] …`), or in one of the tests named here and in shown-of-mail.ts. What stands in OPEN is not shown yet; the list may only shrink.

import { SHOWN_OF_MAIL } from './shown-of-mail.ts';

const FAMILIES: Record<string, number> = {
  T: 30,
  L: 14,
  K: 13,
  C: 19,
  I: 20,
  A: 7,
  Q: 14,
  S: 20,
  M: 10,
  N: 25,
  P: 18,
  U: 8,
  E: 6,
  W: 17,
  X: 12,
};

/** T1 … T30, L1 … X12. */
export const ALL_IDS = Object.entries(FAMILIES).flatMap(([letter, count]) => Array.from({ length: count }, (_, i) => `${letter}${i + 1}`));

export type Shown = { file: string; title: string; ids: string };

/** Tests that show a bad input without its id in their titles. Files are below server/src. */
export const SHOWN: readonly Shown[] = [
  { ids: 'T5', file: 'resources/api-keys/api-keys.test.ts', title: 'another process sees a revocation within the minute' },
  {
    ids: 'T29 T30',
    file: 'web/transport.test.ts',
    title: 'T29, T30: beyond the burst 429 with Retry-After, whatever address the caller claims; nothing of those is written',
  },
  { ids: 'L11', file: 'resources/contacts/contacts.test.ts', title: 'q is text to be found anywhere, and never a pattern' },
  { ids: 'K8 K9', file: 'resources/api-keys/api-keys.test.ts', title: 'one idempotency key makes one API key, and a replay names it' },
  { ids: 'K10 K11', file: 'resources/api-keys/api-keys.test.ts', title: 'revocation and rotation are seen at once, and again by nobody' },
  { ids: 'K12', file: 'resources/api-keys/api-keys.test.ts', title: 'a created key works, is shown once, and is kept as a hash' },
  { ids: 'C4', file: 'platform/email-address.test.ts', title: 'addresses that mail can be sent to' },
  { ids: 'C5', file: 'resources/contacts/contacts.test.ts', title: 'a known address gives the contact as it is, whatever its spelling' },
  { ids: 'C6', file: 'resources/contacts/contacts.test.ts', title: 'another workspace and the other mode see nothing' },
  { ids: 'C7', file: 'resources/contacts/contacts.test.ts', title: 'fifty at once: one is made, the others find it' },
  { ids: 'C9', file: 'resources/contacts/contacts.test.ts', title: 'a batch answers row by row; the same address twice is the same contact' },
  { ids: 'C11', file: 'resources/contacts/contacts.test.ts', title: 'keys that every object inherits are data like any other' },
  { ids: 'C12', file: 'resources/contacts/contacts.test.ts', title: 'PATCH merges, null removes, and the event has the values before' },
  { ids: 'C18', file: 'resources/contacts/contacts.test.ts', title: 'merges side by side lose nothing' },
  { ids: 'C19 S13', file: 'resources/sends/sends.test.ts', title: 'who must not be written to is refused when the send is scheduled' },
  {
    ids: 'I1 I2 I3',
    file: 'resources/contact-imports/contact-imports.test.ts',
    title: 'nothing that could be read or imported: a failed job, and nothing else',
  },
  { ids: 'I5 I8', file: 'resources/contact-imports/contact-imports.test.ts', title: 'every encoding, separator and line end' },
  { ids: 'I13', file: 'resources/contact-imports/contact-imports.test.ts', title: 'a dry run counts like the run and writes nothing' },
  { ids: 'I14', file: 'resources/contact-imports/contact-imports.test.ts', title: 'what is refused before anything is written' },
  {
    ids: 'I15',
    file: 'resources/contact-imports/contact-imports.test.ts',
    title: 'a form with a file and fields; the same key again has no second effect',
  },
  { ids: 'I16', file: 'web/upload.test.ts', title: 'the key of an upload belongs to the file and its fields, not to the spelling of the form' },
  {
    ids: 'I19',
    file: 'resources/contact-imports/contact-imports.test.ts',
    title: 'into an audience: a known one, a new one, none of another tenant',
  },
  {
    ids: 'I20',
    file: 'resources/contact-imports/contact-imports.test.ts',
    title: 'skip leaves known contacts alone; a suppressed address stays suppressed',
  },
  { ids: 'A3 A4', file: 'resources/audiences/audiences.test.ts', title: 'members: new, repeated, known and unknown ones' },
  {
    ids: 'A7',
    file: 'resources/audiences/audiences.test.ts',
    title: 'attaching while the audience is being deleted: a member of nothing is left by neither',
  },
  {
    ids: 'Q4',
    file: 'resources/sequences/sequences.test.ts',
    title: 'steps are appended, inserted, moved, reordered and deleted; positions have no gaps',
  },
  { ids: 'Q2 Q3 Q5 Q7 Q8 Q9 Q11', file: 'resources/sequences/sequences.test.ts', title: 'what is refused, and why; nothing is written' },
  { ids: 'Q6', file: 'resources/sequences/sequences.test.ts', title: 'delays: days stand in for minutes, minutes win' },
  { ids: 'Q13', file: 'resources/sequences/sequences.test.ts', title: 'twenty inserts at one position in parallel leave every position once' },
  { ids: 'S1 S3 S4 S8 S10 S11', file: 'resources/sends/sends.test.ts', title: 'a send that does not fit is refused by name, and leaves no trace' },
  {
    ids: 'S6',
    file: 'resources/sends/sends.test.ts',
    title: 'an inbox that is not there for this caller is the same as none; one that can no longer send is told',
  },
  { ids: 'S12', file: 'resources/sends/sends.test.ts', title: 'a letter that grows beyond measure when it is filled is refused' },
  {
    ids: 'S14',
    file: 'resources/sends/sends.test.ts',
    title: 'sixty-four at once cannot go over the quota of the month; test mode is free; a canceled send is given back',
  },
  { ids: 'S15', file: 'resources/sends/sends.test.ts', title: 'one key, one send: replays, other bodies, fifty at once, another workspace' },
  { ids: 'S16', file: 'resources/sends/sends.test.ts', title: 'canceling: once, while it waits, and never what has left' },
  {
    ids: 'S17',
    file: 'engine/sending/claim.race.test.ts',
    title: 'a send is canceled or delivered, never both: 100 collisions of a cancel with a worker',
  },
  {
    ids: 'S20',
    file: 'resources/sends/sends.test.ts',
    title: 'a send from a sandbox goes straight to sent, with its whole trail, its message and its metadata',
  },
  { ids: 'S2 S5', file: 'resources/sends/bulk.test.ts', title: 'each recipient stands or falls alone, named by its place' },
  { ids: 'S7', file: 'resources/sends/bulk.test.ts', title: 'what is wrong for all of them refuses the call, and nothing is written' },
  {
    ids: 'S9',
    file: 'resources/threads/threads.test.ts',
    title: 'a send into a thread: from its inbox, citing its latest message or the one that is named',
  },
  { ids: 'S18', file: 'engine/sending/letter.test.ts', title: 'a test key reaches no live inbox, and no server hears of it' },
  { ids: 'S19', file: 'resources/sends/extras.test.ts', title: 'copies, files and headers that do not fit are refused by name, and leave no trace' },
  { ids: 'M5 M6', file: 'resources/threads/threads.test.ts', title: 'a reply that does not fit is refused by name, and leaves no trace' },
  {
    ids: 'M7 M9',
    file: 'resources/threads/threads.test.ts',
    title: 'one key, one reply; from a paused inbox it waits, from a lost one it is refused, and no cap holds it back',
  },
  { ids: 'M8', file: 'resources/threads/threads.test.ts', title: 'a thread of others, an absent and a misspelt one are the same' },
  { ids: 'M10', file: 'resources/messages/messages.test.ts', title: 'filters that it does not know' },
  { ids: 'N1', file: 'resources/inboxes/connect-smtp.test.ts', title: 'a guarded house calls no private address, however it is spelt' },
  { ids: 'N3 N4 N5 N6 N12', file: 'resources/inboxes/connect-smtp.test.ts', title: 'what has not the form is refused before anybody is called' },
  {
    ids: 'N7 N9',
    file: 'resources/inboxes/connect-smtp.test.ts',
    title: 'one that does not let us in: the same words whatever it was, in time, and nothing is stored',
  },
  {
    ids: 'N8',
    file: 'resources/inboxes/connect-smtp.test.ts',
    title: 'an IMAP server that falls silent anywhere: the same words, and nothing is stored',
  },
  { ids: 'N13 N14', file: 'resources/inboxes/inboxes.test.ts', title: 'a sandbox inbox is refused for what does not fit, and nothing is written' },
  { ids: 'N16', file: 'resources/inboxes/inboxes.test.ts', title: 'the ramp never ends above the daily limit, also when that is lowered later' },
  { ids: 'N15', file: 'resources/inboxes/inboxes.test.ts', title: 'pausing and going on, as often as you like' },
  { ids: 'N19', file: 'resources/inboxes/inboxes.test.ts', title: 'a signature keeps no script, and empty clears it' },
  { ids: 'P7', file: 'resources/campaigns/campaigns.test.ts', title: 'starting, pausing, resuming: each from its state alone, once, and told' },
  { ids: 'P8', file: 'resources/campaigns/campaigns.test.ts', title: 'whom to attach must be said in one way' },
  {
    ids: 'P9',
    file: 'resources/campaigns/campaigns.test.ts',
    title: 'attaching in parallel enrolls each once; who replied or was taken out is known again',
  },
  {
    ids: 'P14',
    file: 'engine/campaigns/rotation.test.ts',
    title: 'an inbox joins by its tag while the campaign runs, and leaves when it is disconnected; its contacts go on with the others',
  },
  {
    ids: 'P15',
    file: 'engine/campaigns/rotation.test.ts',
    title: 'two campaigns with the same contacts in the same minute: the cap of their inbox holds, no unit is taken twice, both get a part',
  },
  {
    ids: 'P16 P17',
    file: 'engine/campaigns/protection.test.ts',
    title: 'five of a hundred bounce: it goes on; the sixth pauses it at the next decision, and what waits is held',
  },
  { ids: 'P18', file: 'resources/campaigns/campaigns.test.ts', title: 'whoever comes to a completed campaign sets it going again, once' },
  {
    ids: 'U2',
    file: 'resources/suppressions/suppressions.test.ts',
    title: 'an address is suppressed once, whatever its spelling, and the first reason stands',
  },
  { ids: 'U3', file: 'resources/suppressions/suppressions.test.ts', title: 'fifty at once make one' },
  {
    ids: 'U6',
    file: 'engine/sending/claim.race.test.ts',
    title: 'no dot is released after the commit of a suppression of its recipient: 120 collisions',
  },
  { ids: 'E5', file: 'resources/events/events.test.ts', title: 'an event shows what was told, to the letter' },
  { ids: 'E6', file: 'resources/workspaces/workspaces.test.ts', title: 'both keys see the same workspace, and only live activity counts' },
  { ids: 'T21', file: 'web/transport.test.ts', title: 'T21: lengths that do not agree are refused, and what follows is no request of its own' },
  { ids: 'T22', file: 'web/transport.test.ts', title: 'T22: the slow one has been ended with 408, and nothing of it is kept' },
  { ids: 'T28', file: 'web/transport.test.ts', title: 'T28: Expect: 100-continue is answered before the body is sent; no other expectation is met' },
  { ids: 'T25', file: 'web/transport.test.ts', title: 'T25: paths that only look like ours are not found' },
  {
    ids: 'I4 I6 I7 I10 I18',
    file: 'resources/contact-imports/contact-imports.test.ts',
    title: 'nothing that could be read or imported: a failed job, and nothing else',
  },
  {
    ids: 'I9',
    file: 'engine/imports/imports.test.ts',
    title: 'a file of more than 50,000 rows is queued, then carried out: contacts, events, audience, errors and counts as within a call',
  },
  {
    ids: 'I11 I12',
    file: 'resources/contact-imports/contact-imports.test.ts',
    title: 'columns: found by name, by content, by mapping; every other one becomes an attribute',
  },
  { ids: 'I17', file: 'resources/contact-imports/contact-imports.test.ts', title: 'a connection that is cut during the upload imports nothing' },
  { ids: 'Q1', file: 'resources/sequences/sequences.test.ts', title: 'what is refused, and why; nothing is written' },
  {
    ids: 'Q10',
    file: 'resources/sequences/sequences.test.ts',
    title: 'texts that are no templates, and winners that cannot be found, are refused where they stand',
  },
  { ids: 'Q10 Q12', file: 'resources/sequences/sequences.test.ts', title: 'odd texts are kept as they are' },
  {
    ids: 'Q14',
    file: 'resources/campaigns/edit.test.ts',
    title: 'whoever waits for a step that is deleted waits for the next one, and has finished where there is none',
  },
  ...SHOWN_OF_MAIL,
];

/** Not shown by any test yet. */
export const OPEN: readonly string[] = [
  // A connect link that is opened, and who may come back from the provider: with the OAuth consent.
  'N24',
  'N25',
];
