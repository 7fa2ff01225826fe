// The public name of a conversation: the mailbox that it is in, and what the provider calls it.

/** A conversation within one mailbox. */
export type ThreadKey = { inbox_id: string; thread_id: string };

/** `thr_<inbox id suffix>_<base64url of the provider's thread id>`: any Message-ID then fits into a segment of a path. */
export const threadIdOf = ({ inbox_id: inbox, thread_id: thread }: ThreadKey): string =>
  `thr_${inbox.slice('inb_'.length)}_${Buffer.from(thread).toString('base64url')}`;

/** What a `thr_` id names; undefined for any text that threadIdOf would not have written so. Says nothing of its existence. */
export function threadKeyOf(text: string): ThreadKey | undefined {
  const [, suffix, encoded] = /^thr_([0-9a-hjkmnp-tv-z]{26})_([A-Za-z0-9_-]+)$/.exec(text) ?? [];
  if (suffix === undefined || encoded === undefined) return undefined;
  const key = { inbox_id: `inb_${suffix}`, thread_id: Buffer.from(encoded, 'base64url').toString('utf8') };
  return threadIdOf(key) === text && !key.thread_id.includes('\0') ? key : undefined;
}
