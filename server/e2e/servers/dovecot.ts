import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ACCOUNTS, MAIL_USER } from './accounts.ts';
import type { Certificates } from './certificates.ts';
import { freePorts, greets, startProgram } from './program.ts';

const exec = promisify(execFile);

export type Dovecot = {
  ports: { tls: number; starttls: number };
  /** The socket that Postfix asks whether a password is right. */
  authSocket: string;
  /** The socket that takes mail into mailboxes, past Sieve. */
  lmtpSocket: string;
  /** Dovecot's own tool, as in `doveadm('mailbox', 'create', '-u', email, 'Old')`. Answers what it printed. */
  doveadm(...args: string[]): Promise<string>;
  stop(): Promise<void>;
};

/** `inbound`: the port of the server that takes what Sieve writes. */
type Options = { folder: string; homes: string; certificates: Certificates; inbound: number };

/** Dovecot (2.3) with IMAP on loopback: TLS, passwords in a file, one Maildir per account below `homes`. */
export async function startDovecot(options: Options): Promise<Dovecot> {
  const { folder } = options;
  const [tls = 0, starttls = 0] = await freePorts(2);
  const config = join(folder, 'dovecot.conf');
  writeFileSync(join(folder, 'passwd'), ACCOUNTS.map(({ email, password }) => `${email}:{PLAIN}${password}\n`).join(''), { mode: 0o644 });
  writeFileSync(config, settings({ ...options, tls, starttls }));
  writeFileSync(join(folder, 'away.sieve'), SIEVE);
  const ready = () => greets(starttls, '* OK');
  const program = await startProgram({ command: '/usr/sbin/dovecot', args: ['-F', '-c', config], folder, log: join(folder, 'server.log'), ready });
  return {
    ports: { tls, starttls },
    authSocket: join(folder, 'run/auth-postfix'),
    lmtpSocket: join(folder, 'run/lmtp'),
    doveadm: async (...args) => (await exec('/usr/bin/doveadm', ['-c', config, ...args])).stdout,
    stop: program.stop,
  };
}

const SIEVE = `require "vacation";
if address :localpart :is "to" "away" {
  vacation :days 1 :subject "Gone until Monday" "I am away and read nothing before Monday.";
}
`;

const settings = ({ folder, homes, certificates, inbound, tls, starttls }: Options & Dovecot['ports']) => `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/server.log
protocols = imap lmtp
listen = 127.0.0.1
ssl = required
ssl_cert = <${certificates.certFile}
ssl_key = <${certificates.keyFile}
auth_mechanisms = plain login
auth_failure_delay = 0
mail_location = maildir:~/Maildir
mail_uid = ${MAIL_USER}
mail_gid = ${MAIL_USER}
first_valid_uid = 1
mail_fsync = never
mail_max_userip_connections = 50
service imap-login {
  inet_listener imap {
    port = ${starttls}
  }
  inet_listener imaps {
    port = ${tls}
    ssl = yes
  }
}
service auth {
  unix_listener auth-postfix {
    mode = 0666
  }
}
service lmtp {
  unix_listener lmtp {
    mode = 0666
  }
}
protocol lmtp {
  mail_plugins = sieve
}
plugin {
  sieve_before = ${folder}/away.sieve
}
submission_host = 127.0.0.1:${inbound}
postmaster_address = postmaster@people.test
hostname = store.people.test
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
passdb {
  driver = passwd-file
  args = username_format=%u ${folder}/passwd
}
userdb {
  driver = static
  args = uid=${MAIL_USER} gid=${MAIL_USER} home=${homes}/%d/%n
}
namespace inbox {
  inbox = yes
  mailbox Spambox {
    special_use = \\Junk
    auto = create
  }
  mailbox Outgoing {
    special_use = \\Sent
    auto = create
  }
}
`;
