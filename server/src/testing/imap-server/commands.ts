import type { Socket } from 'node:net';
import { dateOf, fetchItems, fetchResponse } from './fetch.ts';
import type { Reaction } from './script.ts';
import { search } from './search.ts';
import { type Account, append, type Folder, folderOf, newFolder, type Stored } from './store.ts';
import { inSet, type Token } from './tokens.ts';

/** What a connection needs of the server around it. */
export type Hall = {
  account(username: string, password: string): Account | null;
  /** Extensions that are not offered. */
  without: readonly string[];
  now(): Date;
  pause(ms: number): Promise<void>;
  react(command: string, line: string): Reaction | undefined;
  /** Continue over TLS; null where the connection already is, or cannot be, encrypted. */
  upgrade: ((socket: Socket) => Promise<Socket | null>) | null;
};

/** The connection as its commands see it. */
export type Speaker = {
  selected: Folder | null;
  /** A line, or bytes that bring their own line end. */
  say(line: string | Buffer): void;
  capabilities(): string;
  /** The tagged answer to a login, by whichever command it came. */
  signIn(username: string, password: string): string;
};

/** An argument that is no list, '' for one that is. */
export const text = (token: Token | undefined): string => (typeof token === 'string' ? token : '');

/** Before and after the login. The answer is the tagged one, without its tag. */
export const OPEN: Record<string, (session: Speaker, args: Token[]) => string> = {
  CAPABILITY: (session) => {
    session.say(`* CAPABILITY ${session.capabilities()}`);
    return 'OK done';
  },
  NOOP: () => 'OK done',
  ID: (session) => {
    session.say('* ID ("name" "scripted")');
    return 'OK done';
  },
  LOGIN: (session, [username, password]) => session.signIn(text(username), Buffer.from(text(password), 'latin1').toString('utf8')),
  LOGOUT: (session) => {
    session.say('* BYE until next time');
    return 'OK done';
  },
};

function list(session: Speaker, account: Account, answer: string, pattern: string): string {
  if (pattern === '') {
    session.say(`* ${answer} (\\Noselect) "/" ""`);
    return 'OK done';
  }
  const wildcard = new RegExp(
    `^${pattern
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('%', '[^/]*')}$`,
    'i',
  );
  for (const folder of account.folders.values()) {
    if (wildcard.test(folder.path))
      session.say(`* ${answer} (\\HasNoChildren${folder.specialUse ? ` ${folder.specialUse}` : ''}) "/" "${folder.path}"`);
  }
  return 'OK done';
}

function select(session: Speaker, account: Account, path: string, mode: string): string {
  session.selected = folderOf(account, path) ?? null;
  if (!session.selected) return 'NO [NONEXISTENT] no such folder';
  const { messages, uidValidity, uidNext } = session.selected;
  session.say('* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft)');
  session.say(`* ${messages.length} EXISTS\r\n* 0 RECENT`);
  if (uidValidity > 0) session.say(`* OK [UIDVALIDITY ${uidValidity}] valid`);
  session.say(`* OK [UIDNEXT ${uidNext}] next`);
  return `OK [${mode}] selected`;
}

function status(session: Speaker, account: Account, path: string, items: Token | undefined): string {
  const folder = folderOf(account, path);
  if (!folder) return 'NO [NONEXISTENT] no such folder';
  const unseen = folder.messages.filter((one) => !one.flags.has('\\Seen')).length;
  const values: Record<string, number> = {
    MESSAGES: folder.messages.length,
    RECENT: 0,
    UNSEEN: unseen,
    UIDNEXT: folder.uidNext,
    UIDVALIDITY: folder.uidValidity,
  };
  const wanted = (Array.isArray(items) ? items : []).map((one) => text(one).toUpperCase()).filter((one) => one in values);
  session.say(`* STATUS "${folder.path}" (${wanted.map((one) => `${one} ${values[one]}`).join(' ')})`);
  return 'OK done';
}

function appended(account: Account, args: Token[], now: Date): string {
  const folder = folderOf(account, text(args[0]));
  if (!folder) return 'NO [TRYCREATE] no such folder';
  const flags = args.find((one) => Array.isArray(one));
  const date = args.slice(1, -1).find((one) => typeof one === 'string');
  const time = date === undefined ? Number.NaN : dateOf(text(date));
  const uid = append(
    folder,
    Buffer.from(text(args.at(-1)), 'latin1'),
    Number.isNaN(time) ? now : new Date(time),
    (flags as string[] | undefined) ?? [],
  );
  return `OK [APPENDUID ${folder.uidValidity} ${uid}] done`;
}

/** After the login. */
export const IN_ACCOUNT: Record<string, (session: Speaker, args: Token[], account: Account, hall: Hall) => string> = {
  NAMESPACE: (session) => {
    session.say('* NAMESPACE (("" "/")) NIL NIL');
    return 'OK done';
  },
  LIST: (session, args, account) => list(session, account, 'LIST', text(args[1])),
  LSUB: (session, args, account) => list(session, account, 'LSUB', text(args[1])),
  SELECT: (session, [path], account) => select(session, account, text(path), 'READ-WRITE'),
  EXAMINE: (session, [path], account) => select(session, account, text(path), 'READ-ONLY'),
  STATUS: (session, [path, items], account) => status(session, account, text(path), items),
  APPEND: (_, args, account, hall) => appended(account, args, hall.now()),
  SUBSCRIBE: () => 'OK done',
  CREATE: (_, [path], account) => {
    account.folders.set(text(path), newFolder(text(path), null, 2000 + account.folders.size));
    return 'OK done';
  },
};

/** The messages of a sequence set, by UID or by number. */
const inFolder = (folder: Folder, set: string, uid: boolean): { message: Stored; sequence: number }[] => {
  const holds = inSet(set, uid ? (folder.messages.at(-1)?.uid ?? 0) : folder.messages.length);
  return folder.messages.flatMap((message, index) => (holds(uid ? message.uid : index + 1) ? [{ message, sequence: index + 1 }] : []));
};

function store(session: Speaker, [set, how, flags]: Token[], folder: Folder, uid: boolean): string {
  const wanted = (Array.isArray(flags) ? flags : [flags ?? '']).map(text);
  for (const { message, sequence } of inFolder(folder, text(set), uid)) {
    if (text(how).startsWith('-')) for (const flag of wanted) message.flags.delete(flag);
    else message.flags = new Set([...(text(how).startsWith('+') ? message.flags : []), ...wanted]);
    if (!/\.SILENT$/i.test(text(how))) session.say(`* ${sequence} FETCH (UID ${message.uid} FLAGS (${[...message.flags].join(' ')}))`);
  }
  return 'OK done';
}

/** RFC 6851. */
function move(session: Speaker, [set, path]: Token[], folder: Folder, uid: boolean, account: Account): string {
  const target = folderOf(account, text(path));
  if (!target) return 'NO [TRYCREATE] no such folder';
  const moved = inFolder(folder, text(set), uid);
  if (moved.length === 0) return 'OK nothing to move';
  const uids = moved.map(({ message: { raw, internalDate, flags } }) => append(target, raw, internalDate, [...flags]));
  session.say(`* OK [COPYUID ${target.uidValidity} ${moved.map((one) => one.message.uid).join(',')} ${uids.join(',')}] moved`);
  for (const { message, sequence } of moved.toReversed()) {
    folder.messages.splice(folder.messages.indexOf(message), 1);
    session.say(`* ${sequence} EXPUNGE`);
  }
  return 'OK done';
}

/** On the selected folder, by number or, as `UID …`, by UID. */
export const IN_FOLDER: Record<string, (session: Speaker, args: Token[], folder: Folder, uid: boolean, account: Account) => string> = {
  FETCH: (session, [set, wanted], folder, uid) => {
    const items = fetchItems(wanted, uid);
    for (const { message, sequence } of inFolder(folder, text(set), uid)) {
      const response = fetchResponse(sequence, message, items);
      if (!response) return 'BAD unknown item';
      session.say(response);
    }
    return 'OK done';
  },
  SEARCH: (session, keys, folder, uid) => {
    const found = search(folder, text(keys[0]).toUpperCase() === 'CHARSET' ? keys.slice(2) : keys);
    if (!found) return 'BAD unknown key';
    session.say(`* SEARCH${found.map(({ message, sequence }) => ` ${uid ? message.uid : sequence}`).join('')}`);
    return 'OK done';
  },
  STORE: store,
  MOVE: move,
  CHECK: () => 'OK done',
  CLOSE: (session) => {
    session.selected = null;
    return 'OK done';
  },
  UNSELECT: (session) => {
    session.selected = null;
    return 'OK done';
  },
};
