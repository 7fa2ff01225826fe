export type Stored = { uid: number; raw: Buffer; flags: Set<string>; internalDate: Date };
export type Folder = { path: string; specialUse: string | null; uidValidity: number; uidNext: number; messages: Stored[] };
export type Account = { username: string; password: string; folders: Map<string, Folder> };

const USUAL: readonly [string, string | null][] = [
  ['INBOX', null],
  ['Sent', '\\Sent'],
  ['Drafts', '\\Drafts'],
  ['Junk', '\\Junk'],
  ['Trash', '\\Trash'],
];

export function newFolder(path: string, specialUse: string | null, uidValidity: number): Folder {
  return { path, specialUse, uidValidity, uidNext: 1, messages: [] };
}

export function newAccount(username: string, password: string, folders: readonly [string, string | null][] = USUAL): Account {
  return { username, password, folders: new Map(folders.map(([path, use], index) => [path, newFolder(path, use, 1000 + index)])) };
}

export function append(folder: Folder, raw: Buffer, internalDate: Date, flags: readonly string[] = []): number {
  const uid = folder.uidNext++;
  folder.messages.push({ uid, raw, internalDate, flags: new Set(flags) });
  return uid;
}

/** The folder of a path; INBOX in any case. */
export const folderOf = (account: Account, path: string): Folder | undefined => account.folders.get(/^inbox$/i.test(path) ? 'INBOX' : path);
