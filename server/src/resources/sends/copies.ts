// To whom else a send goes.
import { emailKey } from '#platform/email-address.ts';
import { Refusal } from '#platform/refusal.ts';
import { rowsOf } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Recipient } from './letter-wire.ts';
import type { Contents, Letter } from './store.ts';

type Copied = { cc?: readonly Recipient[] | undefined; bcc?: readonly Recipient[] | undefined };

/** The addresses that get a copy, each with the field that names it. */
export const copiesOf = ({ cc = [], bcc = [] }: Copied) => [
  ...cc.map(({ email }, i) => ({ email, param: `cc[${i}]` })),
  ...bcc.map(({ email }, i) => ({ email, param: `bcc[${i}]` })),
];

/** Why these copies cannot go with a mail to `to`. `barred` says why mail to an address is refused. */
export function noCopy(wanted: Copied, to: Recipient, barred: (email: string) => string | null): Refusal | null {
  for (const { email, param } of copiesOf(wanted)) {
    if (emailKey(email) === emailKey(to.email))
      return new Refusal('duplicate_recipient', `${email} gets a copy already (${param}).`, { param: 'to' });
    const why = barred(email);
    if (why !== null) return new Refusal('recipient_suppressed', `${email} is ${why}.`, { param });
  }
  return null;
}

/** The addresses on a copy of a send, as its row holds them. */
export const copiedOn = ({ cc, bcc }: Pick<Contents, 'cc' | 'bcc'>): string[] =>
  [...((cc ?? []) as Recipient[]), ...((bcc ?? []) as Recipient[])].map((one) => one.email);

/** Which of these addresses (as keys) got a copy of which of these sends. */
export async function copiedAmong(ctx: Ctx, sendIds: readonly string[], keys: readonly string[]): Promise<Map<string, string[]>> {
  if (sendIds.length === 0 || keys.length === 0) return new Map();
  const rows = await rowsOf<{ send_id: string; email_key: string }>(
    ctx.db,
    `select send_id, email_key from send_copies
      where workspace_id = $1 and mode = $2 and email_key = any($3) and send_id = any($4) order by email_key`,
    [ctx.workspaceId, ctx.mode, keys, sendIds],
  );
  const bySend = Map.groupBy(rows, (row) => row.send_id);
  return new Map([...bySend].map(([id, those]) => [id, those.map((row) => row.email_key)]));
}

/** Write down who is on a copy, so that a suppression finds the sends. */
export async function noteCopies(ctx: Ctx, rows: readonly Letter[]): Promise<void> {
  const copies = rows.flatMap((row) => copiedOn(row).map((email) => ({ send: row.id, key: emailKey(email) })));
  if (copies.length === 0) return;
  await rowsOf(ctx.db, 'insert into send_copies (workspace_id, mode, email_key, send_id) select $1, $2, * from unnest($3::text[], $4::text[])', [
    ctx.workspaceId,
    ctx.mode,
    copies.map((one) => one.key),
    copies.map((one) => one.send),
  ]);
}
