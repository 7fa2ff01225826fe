// What each noun of the interface is, for the reference: by the tag under which its operations stand.
import { MEANINGS } from './events/index.ts';

export const about = {
  tags: {
    'API keys': 'Secrets with which programs call. Each belongs to one workspace, one mode and one scope, and is shown once.',
    Audiences: 'Named groups of contacts, to import into and to enroll from.',
    Campaigns:
      'A copy of a sequence, sent to contacts from a rotation of inboxes in a window of hours. Each contact keeps its inbox; a reply ends it.',
    'Contact imports': 'CSV files on their way to becoming contacts, and what came of each row.',
    Contacts: 'People, one per address, workspace and mode, with attributes of your own.',
    Events: 'What happened, in the order of its commits, without gaps; nothing is ever changed. Webhooks deliver the same.',
    Inboxes: 'Mailboxes that send and are read: over SMTP and IMAP, by consent of a provider, or simulated in test mode.',
    Messages: 'What went out and what came in, with the verdict on each answer.',
    Sends: 'Single mails: now or later, with the proof of what became of each.',
    Sequences: 'Steps with delays and variants, to be copied into campaigns.',
    Suppressions: 'Addresses that are never written to. Looked up when a send is scheduled and again right before it leaves.',
    'Test clock': 'The calendar of test mode, which you may move on.',
    Threads: 'Messages that belong together, and replies into them.',
    Webhooks: 'Endpoints of yours that are told of events, signed, and the log of what they answered.',
    Workspace: 'The plan, its limits, and what has been used of them.',
  },
  events: MEANINGS,
} as const;
