import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exim as Unpacked } from '../debian.ts';
import { type Account, PEOPLE_DOMAIN, SENDER_DOMAIN } from './accounts.ts';
import type { Certificates } from './certificates.ts';
import { maildirMessages } from './maildir.ts';
import { freePorts, greets, startProgram } from './program.ts';

export type Exim = {
  ports: { starttls: number; tls: number };
  /** What was delivered, whoever it was for. */
  messages(): Buffer[];
  log(): string;
  stop(): Promise<void>;
};

export const EXIM_SIZE_LIMIT = 200_000;

/** `next`: ports of the server that refuses what is for `bounce…`, and of the one that takes mail for sender.test. */
type Options = { folder: string; certificates: Certificates; account: Account; next: { hop: number; inbound: number } };

/** Exim on loopback, with STARTTLS, TLS, AUTH PLAIN and LOGIN for `account`, delivering all of people.test but `unknown…` into one Maildir. */
export async function startExim({ folder, certificates, account, next }: Options): Promise<Exim> {
  const { program, librariesPath, user } = JSON.parse(process.env.E2E_EXIM ?? '{}') as Unpacked;
  const [starttls = 0, tls = 0] = await freePorts(2);
  const config = join(folder, 'exim.conf');
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  for (const name of ['spool', 'mail', 'logs']) {
    mkdirSync(join(folder, name));
    chownSync(join(folder, name), id('-u'), id('-g'));
  }
  writeFileSync(
    config,
    `${mainSettings({ folder, certificates, program, starttls, tls })}${ACCESS}${routes(next)}${transports(folder)}${authenticators(account)}`,
  );
  const started = await startProgram({
    command: program,
    args: ['-bdf', '-C', config],
    env: { LD_LIBRARY_PATH: librariesPath },
    folder,
    log: join(folder, 'logs/main'),
    ready: () => greets(starttls, '220'),
  });
  return {
    ports: { starttls, tls },
    messages: () => maildirMessages(join(folder, 'mail')),
    log: () => readFileSync(join(folder, 'logs/main'), 'utf8'),
    stop: started.stop,
  };
}

type Settings = { folder: string; certificates: Certificates; program: string; starttls: number; tls: number };

const mainSettings = ({ folder, certificates, program, starttls, tls }: Settings) => `
exim_path = ${program}
keep_environment = LD_LIBRARY_PATH
primary_hostname = exim.people.test
spool_directory = ${folder}/spool
log_file_path = ${folder}/logs/%s
pid_file_path = ${folder}/spool/exim.pid
deliver_drop_privilege = true
never_users =
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${starttls} : ${tls}
tls_on_connect_ports = ${tls}
tls_advertise_hosts = *
tls_certificate = ${certificates.certFile}
tls_privatekey = ${certificates.keyFile}
auth_advertise_hosts = \${if eq{$tls_in_cipher}{}{}{*}}
domainlist ours = ${PEOPLE_DOMAIN}
acl_smtp_rcpt = may_receive
message_size_limit = ${EXIM_SIZE_LIMIT}
host_lookup =
rfc1413_query_timeout = 0s
smtp_accept_queue_per_connection = 0
smtp_accept_max_per_connection = 60
`;

const ACCESS = `
begin acl
may_receive:
  deny !authenticated = *
    message = authenticate first
  require domains = +ours
    message = relay not permitted
  require verify = recipient
  accept
`;

const routes = ({ hop, inbound }: Options['next']) => `
begin routers
refused_later:
  driver = manualroute
  domains = +ours
  condition = \${if match{$local_part}{^bounce}}
  route_list = * 127.0.0.1::${hop}
  self = send
  transport = onward
senders:
  driver = manualroute
  domains = ${SENDER_DOMAIN}
  route_list = * 127.0.0.1::${inbound}
  self = send
  transport = onward
everybody:
  driver = accept
  domains = +ours
  condition = \${if match{$local_part}{^unknown}{no}{yes}}
  transport = maildir
`;

const transports = (folder: string) => `
begin transports
onward:
  driver = smtp
  hosts_avoid_tls = *
maildir:
  driver = appendfile
  maildir_format
  create_directory
  directory = ${folder}/mail
  envelope_to_add
  return_path_add
`;

const authenticators = ({ email, password }: Account) => `
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{${email}}}{eq{$auth3}{${password}}}}}
  server_set_id = $auth2
login:
  driver = plaintext
  public_name = LOGIN
  server_prompts = Username:: : Password::
  server_condition = \${if and{{eq{$auth1}{${email}}}{eq{$auth2}{${password}}}}}
  server_set_id = $auth1
`;
