// Test mode under a test clock: what is due at one instant leaves in few commits, by the same claim, gates and outcomes as in a lane.
import { beforeCommit, inTransaction, rowsOf } from '#store/db.ts';
import { type Inbox, MAY_SEND, capLeft } from '#resources/inboxes/index.ts';
import type { World } from '#world/ctx.ts';
import { claimSends } from './claim.ts';
import { finishAll } from './finish.ts';
import type { Finished, Outcome } from './outcome.ts';
import { releaseDots } from './release.ts';
import { SANDBOX_ACCEPTED, sandboxOffer } from './sandbox.ts';
import { postponeToNextDay } from './trouble.ts';

const BATCH = 100;

/** Send what is due in test mode of a workspace at the world's time. Answers how many sends have had an outcome. */
export async function sendDueOfSandbox(world: World, workspaceId: string, processId: string): Promise<number> {
  for (let done = 0; ;) {
    const some = await inTransaction(world, (inside) => sendSome(inside, workspaceId, processId));
    if (some === 0) return done;
    done += some;
  }
}

// One transaction from the claim to the outcome: nothing leaves this machine, so a crash may undo all of it. The inboxes are locked first, as
// everywhere.
async function sendSome(world: World, workspaceId: string, processId: string): Promise<number> {
  const now = world.clock.now();
  const inboxes = await rowsOf<Inbox>(
    world.db,
    `select * from inboxes i
      where workspace_id = $1 and mode = 'test' and provider = 'sandbox' and status = any($3::text[])
        and next_send_at <= $2 and (retry_at is null or retry_at <= $2)
        and exists (select 1 from sends s where s.workspace_id = i.workspace_id and s.inbox_id = i.id and s.state = 'scheduled' and s.due_at <= $2)
      order by id for no key update`,
    [workspaceId, now, MAY_SEND],
  );
  if (inboxes.length === 0) return 0;
  // Whatever is then still due is a reply, which no cap holds back.
  for (const inbox of inboxes) if (capLeft(inbox, now) <= 0) await postponeToNextDay(world, inbox);
  const wishes = inboxes.map((inbox) => ({
    inbox,
    limit: inbox.max_gap_seconds > 0 ? 1 : Math.min(BATCH, Math.max(1, capLeft(inbox, now))),
  }));
  const sends = (await claimSends(world, wishes, processId)).flat();
  if (sends.length === 0) return 0;
  const offers = sends.map((send) => ({ send, offer: sandboxOffer(world, send) }));
  const held = offers.filter(({ offer }) => offer.kind === 'held').map(({ send }) => send);
  const verdicts = new Map((held.length ? await releaseDots(world, held) : []).map((verdict, i) => [held[i]!.id, verdict]));
  const finished = offers.map(({ send, offer }): Finished => {
    const verdict = verdicts.get(send.id);
    const outcome: Outcome =
      offer.kind === 'refused' ? offer : !verdict || verdict.kind === 'granted' ? SANDBOX_ACCEPTED : { kind: 'denied', denial: verdict };
    return { send, outcome, at: now };
  });
  // Releases are written among the last acts of their transaction: the outcomes come after them.
  beforeCommit(world.db, () => finishAll(world, finished).then(() => undefined));
  return sends.length;
}
