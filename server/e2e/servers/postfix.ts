import { execFile, execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AWAY, CATCH_ALL, MAIL_USER, PEOPLE_DOMAIN, POSTMAN, SENDER_DOMAIN, SENDERS } from './accounts.ts';
import type { Certificates } from './certificates.ts';
import type { Dovecot } from './dovecot.ts';
import { freePorts, greets, startProgram } from './program.ts';

const exec = promisify(execFile);

export type Postfix = {
  ports: Ports;
  /** Resolve once nothing is on its way any more, bounces included; mail that waits for another try does not count. */
  settled(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Submission, each behind TLS and AUTH: `starttls`, `tls` from the first byte, `login` with AUTH LOGIN alone, and `bare` without PIPELINING,
 * SIZE, 8BITMIME and SMTPUTF8. `inbound` is for other servers, without a login and for our domains only. `hop` is the next server of what is
 * bounced: it refuses.
 */
type Ports = Record<(typeof LISTENERS)[number], number>;
type Options = { folder: string; homes: string; certificates: Certificates; dovecot: Pick<Dovecot, 'authSocket' | 'lmtpSocket'>; inbound: number };

const LISTENERS = ['starttls', 'tls', 'login', 'bare', 'inbound', 'hop'] as const;

export const POSTFIX_SIZE_LIMIT = 1_000_000;

/** Postfix on loopback with a configuration and a queue of its own, delivering every domain of these checks into Maildirs below `homes`. */
export async function startPostfix(options: Options): Promise<Postfix> {
  const { folder } = options;
  const free = await freePorts(LISTENERS.length);
  const ports = { ...(Object.fromEntries(LISTENERS.map((name, index) => [name, free[index]])) as Ports), inbound: options.inbound };
  const config = join(folder, 'config');
  for (const name of ['config', 'queue', 'data']) mkdirSync(join(folder, name));
  chownSync(join(folder, 'data'), idOf('-u', 'postfix'), idOf('-g', 'postfix'));
  writeFileSync(join(config, 'main.cf'), mainSettings(options));
  writeFileSync(join(config, 'master.cf'), services(ports, config));
  for (const [name, text] of Object.entries(tables(ports.hop, options.dovecot.lmtpSocket))) writeFileSync(join(config, name), text);
  const ready = async () => (await greets(ports.starttls, '220')) && (await greets(ports.inbound, '220'));
  const log = join(folder, 'server.log');
  // Makes the folders of the queue.
  await exec('/usr/sbin/postfix', ['-c', config, 'check']);
  const program = await startProgram({ command: '/usr/lib/postfix/sbin/master', args: ['-c', config, '-s'], folder, log, ready });
  return { ports, settled: () => settled(join(folder, 'queue')), stop: program.stop };
}

const idOf = (flag: '-u' | '-g', user: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));

async function settled(queue: string): Promise<void> {
  // A message is in the queue before Postfix says yes to it, and a bounce before the message that it is about leaves.
  const waiting = () => ['incoming', 'active'].flatMap((name) => readdirSync(join(queue, name)));
  for (let tries = 0; tries < 1500; tries++) {
    // Looked at twice, because a message may have gone from the second folder back to the first behind our back.
    if (waiting().length === 0 && waiting().length === 0) return;
    await pause(20);
  }
  throw new Error(`Postfix still has ${waiting().length} messages on their way.`);
}

/**
 * `away@people.test` answers by itself. Of everybody else at people.test `unknown…` is refused at once and `later…` put off at once; `bounce…`
 * and `full…` are accepted and then refused by the next server; the others have a mailbox.
 */
const tables = (hop: number, lmtpSocket: string): Record<string, string> => ({
  mailboxes: `
${[...SENDERS, POSTMAN].map(({ email }) => `/^${email.replaceAll('.', '\\.')}$/ ${home(email)}`).join('\n')}
if !/^unknown/
/@people\\.test$/ ${home(CATCH_ALL.email)}
endif
`,
  routes: `
/^(bounce|full).*@people\\.test$/ smtp:[127.0.0.1]:${hop}
/^${AWAY.email.replaceAll('.', '\\.')}$/ lmtp:unix:${lmtpSocket}
`,
  'recipient-rules': '/^later/ 451 4.7.1 Greylisted, please come again\n',
  'hop-mailboxes': '/^nobody-but-me@people\\.test$/ x\n',
  'hop-rules': '/^full/ 552 5.2.2 The mailbox is over its quota\n',
});

const home = (email: string) => `${email.split('@').toReversed().join('/')}/Maildir/`;

const mainSettings = ({ folder, homes, certificates, dovecot }: Options) => `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
maillog_file = ${folder}/server.log
maillog_file_prefixes = ${folder}
myhostname = mail.sender.test
mydestination =
mynetworks = 127.0.0.0/8
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtpd_tls_cert_file = ${certificates.certFile}
smtpd_tls_key_file = ${certificates.keyFile}
smtpd_tls_security_level = may
smtpd_tls_auth_only = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = ${dovecot.authSocket}
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_recipient_restrictions = check_recipient_access regexp:${folder}/config/recipient-rules
smtpd_error_sleep_time = 0
virtual_mailbox_domains = ${SENDER_DOMAIN}, ${PEOPLE_DOMAIN}
virtual_mailbox_base = ${homes}
virtual_mailbox_maps = regexp:${folder}/config/mailboxes
virtual_uid_maps = static:${idOf('-u', MAIL_USER)}
virtual_gid_maps = static:${idOf('-g', MAIL_USER)}
virtual_minimum_uid = 1
transport_maps = regexp:${folder}/config/routes
message_size_limit = ${POSTFIX_SIZE_LIMIT}
smtp_tls_security_level = none
alias_maps =
alias_database =
in_flow_delay = 0
`;

function services({ starttls, tls, login, bare, inbound, hop }: Ports, config: string): string {
  const listener = (port: number, ...settings: string[]) => `127.0.0.1:${port} inet n - n - - smtpd ${settings.map((one) => `-o ${one}`).join(' ')}`;
  const submission = ['smtpd_sasl_auth_enable=yes', 'smtpd_client_restrictions=permit_sasl_authenticated,reject'];
  const poor = ['smtpd_discard_ehlo_keywords=pipelining,size,8bitmime,smtputf8,chunking'];
  const refusing = [
    'myhostname=mx.people.test',
    `virtual_mailbox_maps=regexp:${config}/hop-mailboxes`,
    `smtpd_recipient_restrictions=check_recipient_access,regexp:${config}/hop-rules`,
  ];
  return `
${listener(starttls, ...submission, 'smtpd_tls_security_level=encrypt')}
${listener(tls, ...submission, 'smtpd_tls_wrappermode=yes')}
${listener(login, ...submission, 'smtpd_tls_security_level=encrypt', 'smtpd_sasl_mechanism_filter=login')}
${listener(bare, ...submission, 'smtpd_tls_security_level=encrypt', ...poor)}
${listener(inbound, 'smtpd_sasl_auth_enable=no')}
${listener(hop, ...refusing)}
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
lmtp unix - - n - - lmtp
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;
}
