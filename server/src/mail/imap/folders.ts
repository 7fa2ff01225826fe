import type { ListResponse } from 'imapflow';
import type { Folder, FolderRole, Place } from '../mail.ts';

/** What servers without SPECIAL-USE call the two folders: the last part of the path, lower-cased. Earlier names are preferred. */
const USUAL_NAMES: Readonly<Record<Exclude<FolderRole, 'inbox'>, readonly string[]>> = {
  junk: [
    'junk',
    'spam',
    'junk e-mail',
    'junk email',
    'junk mail',
    'bulk mail',
    'bulk',
    'junk-e-mail',
    'spamverdacht',
    'courrier indésirable',
    'correo no deseado',
  ],
  sent: [
    'sent',
    'sent items',
    'sent messages',
    'sent mail',
    'sent-mail',
    'gesendet',
    'gesendete elemente',
    'gesendete objekte',
    'éléments envoyés',
    'enviados',
  ],
};
const SPECIAL_USE: Readonly<Record<keyof typeof USUAL_NAMES, string>> = { junk: '\\Junk', sent: '\\Sent' };

/** Folders for what was put away, by SPECIAL-USE: the archive, everything there is, the trash. */
export function putAway(listed: readonly Pick<ListResponse, 'path' | 'flags'>[]): Place[] {
  const flags = ['\\Archive', '\\All', '\\Trash'];
  return flags.flatMap((flag) => listed.filter((one) => one.flags.has(flag) && !one.flags.has('\\Noselect')).map(({ path }) => ({ path })));
}

/** INBOX, and the folders for junk and sent mail: by SPECIAL-USE (RFC 6154), else by a usual name. */
export function namedFolders(listed: readonly Pick<ListResponse, 'path' | 'name' | 'flags'>[]): Folder[] {
  const usable = listed.filter((one) => !one.flags.has('\\Noselect') && !one.flags.has('\\NonExistent'));
  const found = (['junk', 'sent'] as const).flatMap((role): Folder[] => {
    const flagged = usable.find((one) => one.flags.has(SPECIAL_USE[role]));
    const usual = USUAL_NAMES[role].map((name) => usable.find((one) => one.name.toLowerCase() === name));
    const folder = flagged ?? usual.find((one) => one !== undefined);
    return folder ? [{ role, path: folder.path }] : [];
  });
  return [{ role: 'inbox', path: 'INBOX' }, ...found];
}
