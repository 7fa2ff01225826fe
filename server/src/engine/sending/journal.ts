// What a server has accepted, on this machine's disk before the database hears of it: a crash or an unreachable database between
// the 250 and the commit loses nothing.
import { type FileHandle, mkdir, open, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Entry = z.object({
  workspace_id: z.string(),
  id: z.string(),
  fence: z.int(),
  mode: z.enum(['live', 'test']),
  reply: z.string(),
  at: z.iso.datetime(),
});
/** An acceptance: which send, under which fence, in the server's words. */
export type JournalEntry = z.output<typeof Entry>;

export type Journal = {
  /** Write the entries and have the disk confirm them. */
  append(entries: readonly JournalEntry[]): Promise<void>;
  /** All entries are in the database: begin an empty file, when this one has grown. */
  clearIfLarge(): Promise<void>;
  /** `whole`: all entries are in the database, so the file may go. */
  close(whole: boolean): Promise<void>;
};

const LARGE = 256 * 1024;

/** The journal of this process, a file of its own in `folder`. The name says whose it is. */
export async function openJournal(folder: string, processId: string): Promise<Journal> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${processId}.jsonl`);
  const file: FileHandle = await open(path, 'a', 0o600);
  await syncFolder(folder);
  let size = 0;
  return {
    async append(entries) {
      if (entries.length === 0) return;
      // The empty line in front: a line that a full disk has cut off spoils none after it.
      const text = `\n${entries.map((one) => `${JSON.stringify(one)}\n`).join('')}`;
      await file.appendFile(text);
      await file.datasync();
      size += text.length;
    },
    async clearIfLarge() {
      if (size < LARGE) return;
      await file.truncate(0);
      size = 0;
    },
    async close(whole) {
      await file.close();
      if (whole) await rm(path, { force: true });
    },
  };
}

/** The journals in `folder` of processes that are not alive: their ids and whole entries. A last line that was cut off never was confirmed. */
export async function leftJournals(
  folder: string,
  isAlive: (processId: string) => boolean,
): Promise<{ processId: string; entries: JournalEntry[] }[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const left = [];
  for (const name of names.filter((one) => one.endsWith('.jsonl')).sort()) {
    const processId = name.slice(0, -'.jsonl'.length);
    if (isAlive(processId)) continue;
    const text = await readFile(join(folder, name), 'utf8');
    left.push({ processId, entries: text.split('\n').flatMap(entryOf) });
  }
  return left;
}

export const dropJournal = (folder: string, processId: string) => rm(join(folder, `${processId}.jsonl`), { force: true });

function entryOf(line: string): JournalEntry[] {
  try {
    return [Entry.parse(JSON.parse(line))];
  } catch (error) {
    // Only the line that was being written when the process died can be cut; it was not confirmed, so nothing was promised about it.
    if (error instanceof SyntaxError || error instanceof z.ZodError) return [];
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync();
  await handle.close();
}
