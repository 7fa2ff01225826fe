import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Security } from '#mail/mail.ts';
import { type Clock, sleep, systemClock } from '#platform/clock.ts';
import { localhostCert } from '../certs/certs.ts';
import type { Hall } from './commands.ts';
import type { Script } from './script.ts';
import { ImapSession } from './session.ts';
import { type Account, append, type Folder, folderOf, newAccount } from './store.ts';

export type ImapServerOptions = {
  security: Security;
  /** `folders` as path and SPECIAL-USE attribute; without them INBOX, Sent, Drafts, Junk and Trash. */
  users: readonly { username: string; password: string; folders?: readonly [string, string | null][] }[];
  script?: Script;
  /** Extensions that it does not offer, such as MOVE. */
  without?: readonly string[];
  /** PEM; the certificate of `localhost` when left out. */
  certificate?: { cert: string; key: string };
  clock?: Clock;
};

export type ImapServer = {
  port: number;
  /** Put a message into a folder and tell whoever has it open; the answer is its UID. */
  deliver(username: string, folder: string, raw: Buffer | string, options?: { internalDate?: Date; flags?: string[] }): number;
  /** Take a message away as another client would. */
  expunge(username: string, folder: string, uid: number): void;
  /** Renumber a folder under a new UIDVALIDITY; 0 stands for a server that names none. */
  resetUidValidity(username: string, folder: string, uidValidity?: number): void;
  messages(username: string, folder: string): { uid: number; raw: Buffer; internalDate: Date; flags: string[] }[];
  setPassword(username: string, password: string): void;
  /** The mailbox disappears: open connections end, logins are refused. */
  removeUser(username: string): void;
  /** Replace the script for whatever comes next. */
  follow(script: Script | undefined): void;
  /** Connections that are open now. */
  connections(): number;
  /** Commands that came so far, oldest first, without the arguments of logins. */
  log(): readonly string[];
  close(): Promise<void>;
};

/** Start the server on a free port of 127.0.0.1. */
export async function startImapServer(options: ImapServerOptions): Promise<ImapServer> {
  const accounts = new Map(options.users.map((user) => [user.username, newAccount(user.username, user.password, user.folders)]));
  const sessions = new Map<ImapSession, Socket>();
  const log: string[] = [];
  let script = options.script;
  const halls = hallMaker(options, accounts, log, (event) => script?.(event));
  const server = createServer({ noDelay: true }, async (socket) => {
    socket.on('error', () => undefined);
    const hall = halls();
    const stream = options.security === 'ssl' ? await secure(socket, options) : socket;
    if (!stream) return;
    const session = new ImapSession(stream, hall);
    sessions.set(session, socket);
    socket.on('close', () => sessions.delete(session));
    await session.run();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return {
    port: (server.address() as AddressInfo).port,
    ...mailboxes(accounts, sessions, options.clock ?? systemClock()),
    follow: (next) => {
      script = next;
    },
    connections: () => sockets.size,
    log: () => log,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Each connection gets its own hall: its number for the script, and its own way into TLS. */
function hallMaker(options: ImapServerOptions, accounts: Map<string, Account>, log: string[], script: Script): () => Hall {
  const clock = options.clock ?? systemClock();
  const counts = new Map<string, number>();
  let connections = 0;
  return () => {
    const connection = ++connections;
    return {
      account: (username, password) => {
        const account = accounts.get(username);
        return account?.password === password ? account : null;
      },
      without: options.without ?? [],
      now: () => clock.now(),
      pause: (ms) => sleep(clock, ms),
      react: (command, line) => {
        if (command !== 'GREETING') log.push(`${command} ${line}`.trim());
        const count = (counts.get(command) ?? 0) + 1;
        counts.set(command, count);
        return script({ command, connection, count, line });
      },
      upgrade: options.security === 'starttls' ? (socket) => secure(socket, options) : null,
    };
  };
}

/** The TLS stream of a connection, null when the handshake fails. */
async function secure(socket: Socket, { certificate = localhostCert }: ImapServerOptions): Promise<TLSSocket | null> {
  const stream = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) });
  try {
    await once(stream, 'secure');
    return stream;
  } catch {
    // A client that does not trust us hangs up: that is its good right.
    socket.destroy();
    return null;
  }
}

function mailboxes(accounts: Map<string, Account>, sessions: Map<ImapSession, Socket>, clock: Clock) {
  const folderIn = (username: string, path: string): Folder => {
    const account = accounts.get(username);
    const folder = account && folderOf(account, path);
    if (!folder) throw new Error(`No folder ${path} of ${username}`);
    return folder;
  };
  const tell = (folder: Folder, line: string) => {
    for (const session of sessions.keys()) if (session.selected === folder) session.tell(line);
  };
  return {
    deliver(username: string, path: string, raw: Buffer | string, { internalDate, flags }: { internalDate?: Date; flags?: string[] } = {}) {
      const folder = folderIn(username, path);
      const uid = append(folder, Buffer.from(raw as Buffer), internalDate ?? clock.now(), flags);
      tell(folder, `* ${folder.messages.length} EXISTS`);
      return uid;
    },
    expunge(username: string, path: string, uid: number) {
      const folder = folderIn(username, path);
      const index = folder.messages.findIndex((one) => one.uid === uid);
      if (index < 0) return;
      folder.messages.splice(index, 1);
      tell(folder, `* ${index + 1} EXPUNGE`);
    },
    resetUidValidity(username: string, path: string, uidValidity?: number) {
      const folder = folderIn(username, path);
      folder.uidValidity = uidValidity ?? folder.uidValidity + 1000;
      folder.messages = folder.messages.map((message, index) => ({ ...message, uid: index + 1 }));
      folder.uidNext = folder.messages.length + 1;
    },
    messages: (username: string, path: string) => folderIn(username, path).messages.map((one) => ({ ...one, flags: [...one.flags] })),
    setPassword(username: string, password: string) {
      const account = accounts.get(username);
      if (account) account.password = password;
    },
    removeUser(username: string) {
      const account = accounts.get(username);
      accounts.delete(username);
      for (const [session, socket] of sessions) if (session.isOf(account)) socket.destroy();
    },
  };
}
