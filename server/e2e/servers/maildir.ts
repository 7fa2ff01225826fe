import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every message in a Maildir as the bytes that lie there, in the order of their file names (which begin with the time of delivery). */
export function maildirMessages(path: string): Buffer[] {
  const files = ['new', 'cur']
    .map((name) => join(path, name))
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder).map((name) => ({ folder, name })) : []));
  return files.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ folder, name }) => readFileSync(join(folder, name)));
}
