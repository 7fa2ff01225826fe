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
  /** Dovecot's own tool, as in `doveadm('mailbox', 'create', '-u', email, 'Old')`. Answers what it printed. */
  doveadm(...args: string[]): Promise<string>;
  stop(): Promise<void>;
};

/** Dovecot (2.3) with IMAP on loopback: TLS, passwords in a file, one Maildir per account below `homes`. */
export async function startDovecot({ folder, homes, certificates }: { folder: string; homes: string; certificates: Certificates }): Promise<Dovecot> {
  const [tls = 0, starttls = 0] = await freePorts(2);
  const config = join(folder, 'dovecot.conf');
  writeFileSync(join(folder, 'passwd'), ACCOUNTS.map(({ email, password }) => `${email}:{PLAIN}${password}\n`).join(''), { mode: 0o644 });
  writeFileSync(config, settings({ folder, homes, certificates, tls, starttls }));
  const ready = () => greets(starttls, '* OK');
  const program = await startProgram({ command: '/usr/sbin/dovecot', args: ['-F', '-c', config], folder, log: join(folder, 'server.log'), ready });
  return {
    ports: { tls, starttls },
    authSocket: join(folder, 'run/auth-postfix'),
    doveadm: async (...args) => (await exec('/usr/bin/doveadm', ['-c', config, ...args])).stdout,
    stop: program.stop,
  };
}

type Settings = { folder: string; homes: string; certificates: Certificates; tls: number; starttls: number };

const settings = ({ folder, homes, certificates, tls, starttls }: Settings) => `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/server.log
protocols = imap
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
