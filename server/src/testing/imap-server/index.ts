// A small IMAP4rev1 server (RFC 3501) on this machine, whose faults are scripted. Asked by tests of the mailbox door and of reading mail.
export { type ImapServer, type ImapServerOptions, startImapServer } from './imap-server.ts';
