import type { Selectable } from 'kysely';
import { newId } from '#platform/ids.ts';
import { rowsOf } from '#store/db.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { World } from '#world/ctx.ts';
import { type MailKey, warmupMessageId } from './token.ts';

export type Row = Selectable<Tables['warmup_mails']>;
type Wanted = Pick<Row, 'workspace_id' | 'inbox_id' | 'to_workspace_id' | 'to_inbox_id' | 'day'> & {
  scheduled_at: Date;
  senderAddress: string;
  /** What it answers; absent for one that opens an exchange. */
  answers?: { thread_id: string; place: number; references: readonly string[] };
};

/**
 * Plan mails. One that would be the second of its kind (an exchange that is opened on the same day, an answer to the same mail) is not written.
 */
export async function plan(world: World, wanted: readonly Wanted[]): Promise<void> {
  if (wanted.length === 0) return;
  const rows = wanted.map(({ senderAddress, answers, ...row }) => {
    const id = newId(world, 'wum');
    const rfc822_message_id = warmupMessageId(world, { workspaceId: row.workspace_id, id }, senderAddress);
    return {
      ...row, id, mode: 'live' as const, rfc822_message_id,
      thread_id: answers?.thread_id ?? id, place: answers ? answers.place : 0, thread_references: [...(answers?.references ?? [])],
      state: 'planned' as const, due_at: row.scheduled_at, attempt_count: 0, fence: 0, tend_failures: 0, created_at: world.clock.now(),
    }; // prettier-ignore
  });
  await world.db.insertInto('warmup_mails').values(rows).onConflict((key) => key.doNothing()).execute(); // prettier-ignore
}

export type Known = Row & { from_key: string };

/** A mail, locked, and the address that it comes from. */
export async function locked({ db }: World, { workspaceId, id }: MailKey): Promise<Known | undefined> {
  const [row] = await rowsOf<Known>(
    db,
    `select m.*, i.email_key as from_key from warmup_mails m join inboxes i on i.workspace_id = m.workspace_id and i.id = m.inbox_id
      where m.workspace_id = $1 and m.id = $2 for no key update of m`,
    [workspaceId, id],
  );
  return row;
}

/** The mail is proved to have left: whatever was thought of it, it is sent. Answers whether that is news. */
export async function proveSent({ db }: World, { workspace_id: workspaceId, id }: Pick<Row, 'workspace_id' | 'id'>): Promise<boolean> {
  const rows = await rowsOf(
    db,
    `update warmup_mails set state = 'sent', because = null, sent_at = dot_released_at, leased_until = null
      where workspace_id = $1 and id = $2 and state in ('unknown', 'failed') and dot_released_at is not null returning 1`,
    [workspaceId, id],
  );
  return rows.length > 0;
}

/** What is kept of a mail is kept so long; the counts of its day stay. */
const KEEP_MS = 60 * 24 * 3_600_000;

export const forgetOld = ({ db, clock }: World) =>
  rowsOf(db, `delete from warmup_mails where created_at < $1 and state not in ('planned', 'sending')`, [new Date(clock.now().getTime() - KEEP_MS)]);
