// Sends that did not leave: tried again later, held, canceled or failed, with what that means for enrollment and contact.
import { failureType } from '#mail/verdict/failure.ts';
import { rowsOf } from '#store/db.ts';
import { lockShare, markBounced } from '#resources/contacts/index.ts';
import { type Ending, endEnrollments, lockEnrollments, planAgain, wakePlanner } from '#resources/enrollments/index.ts';
import { noteTroubles } from '#resources/inboxes/index.ts';
import { record } from '#resources/events/index.ts';
import { MAX_LATENESS_MS, TAKE_BACK_AFTER_MS, type Send, presentSend } from '#resources/sends/index.ts';
import { suppressAll } from '#resources/suppressions/index.ts';
import { countBounces, lockForBounces } from '#resources/campaigns/index.ts';
import { type Ctx, type World, actingFor } from '#world/ctx.ts';
import type { Finished, Outcome } from './outcome.ts';
import { backOffMs, failureOf } from './rules.ts';

/** What is to become of a send: the columns to set, and how its enrollment ends, if it does. */
export type Fate = Pick<Send, 'state' | 'failure_reason' | 'failure_detail' | 'due_at'> & { ends: Ending | null };

/** Whoever a canceled send was for is planned anew, if still or again active. */
export const plansAnew = ({ state }: Fate): boolean => state === 'canceled';

const REFUSED_ATTEMPT = { accepted: 'accepted', refused: 'refused', broken: 'broken', denied: 'denied', unwritten: 'abandoned' } as const;

/** Close the attempts, whatever came of them, in the server's words. */
export async function endAttempts(world: World, finished: readonly Finished[]): Promise<void> {
  const reply = ({ outcome }: Finished) => (outcome.kind === 'accepted' || outcome.kind === 'refused' ? outcome.reply : null);
  await rowsOf(
    world.db,
    `update send_attempts a set ended_at = t.at, leased_until = null, outcome = t.outcome, phase = t.phase,
            reply_code = t.code, reply_enhanced = t.enhanced, reply_text = t.words
       from unnest($1::text[], $2::text[], $3::int[], $4::timestamptz[], $5::text[], $6::text[], $7::int[], $8::text[], $9::text[])
            as t (workspace_id, send_id, attempt, at, outcome, phase, code, enhanced, words)
      where a.workspace_id = t.workspace_id and a.send_id = t.send_id and a.attempt = t.attempt`,
    [
      finished.map((one) => one.send.workspace_id),
      finished.map((one) => one.send.id),
      finished.map((one) => one.send.fence),
      finished.map((one) => one.at),
      finished.map((one) => REFUSED_ATTEMPT[one.outcome.kind]),
      finished.map(({ outcome }) => ('phase' in outcome ? outcome.phase : null)),
      finished.map((one) => reply(one)?.code ?? null),
      finished.map((one) => reply(one)?.enhanced ?? null),
      finished.map((one) => reply(one)?.text ?? wordsOf(one.outcome)),
    ],
  );
}

function wordsOf(outcome: Outcome): string | null {
  if (outcome.kind === 'broken' || outcome.kind === 'unwritten') return outcome.detail;
  return outcome.kind === 'denied' && 'gate' in outcome.denial ? outcome.denial.gate : null;
}

const again = (due_at: Date | null): Fate => ({ state: 'scheduled', failure_reason: null, failure_detail: null, due_at, ends: null });
const failed = (reason: NonNullable<Send['failure_reason']>, detail: string | null, ends: Ending = 'failed'): Fate => ({
  state: 'failed',
  failure_reason: reason,
  failure_detail: detail,
  due_at: null,
  ends,
});

const canceled = (gate: string): Fate => ({
  state: 'canceled',
  failure_reason: null,
  failure_detail: gate,
  due_at: null,
  ends: null,
});

/** The fate of a send that did not leave; null when the row is no longer ours to decide. Pure. */
export function fateOf(
  send: Pick<Send, 'id' | 'to_email' | 'attempt_count' | 'scheduled_at' | 'campaign_id'>,
  outcome: Outcome,
  now: Date,
): Fate | null {
  if (outcome.kind === 'accepted') throw new Error('An accepted send has no such fate.');
  const lateness = now.getTime() - send.scheduled_at.getTime();
  const late = lateness > MAX_LATENESS_MS;
  const later = new Date(now.getTime() + backOffMs(send.id, send.attempt_count));
  if (outcome.kind === 'unwritten') return late ? failed('connection_failed', outcome.detail) : again(later);
  if (outcome.kind === 'denied') {
    const { denial } = outcome;
    if (denial.kind === 'lost') return null;
    if (denial.kind === 'cancel') return canceled(denial.gate);
    if (denial.kind === 'fail') return failed(denial.reason, null, denial.reason === 'suppressed' ? 'unsubscribed' : 'failed');
    const isOfInbox = denial.gate.startsWith('inbox ');
    if (isOfInbox && send.campaign_id !== null && lateness > TAKE_BACK_AFTER_MS) return canceled(denial.gate);
    return late && isOfInbox ? failed('expired', denial.gate) : again(denial.until);
  }
  const { reason, detail, permanent } = failureOf(outcome);
  if (permanent) return failed(reason, detail, isHardBounce(outcome, send.to_email) ? 'bounced' : 'failed');
  return late ? failed(reason, detail) : again(later);
}

/**
 * The recipient refused in so many words because the address takes no mail: what a bounce report would say later. That somebody who gets a copy
 * cannot be reached says nothing of the person whom the send is for.
 */
const isHardBounce = (outcome: Outcome, to: string): boolean =>
  outcome.kind === 'refused' &&
  outcome.phase === 'rcpt' &&
  outcome.permanent &&
  (outcome.recipient ?? to) === to &&
  failureType(outcome.reply.enhanced, `${outcome.reply.code} ${outcome.reply.text}`) === 'hard';

// A send that is held because its campaign was paused is due at once when the campaign has been resumed or deleted meanwhile.
const SET_FATE = `
  update sends set state = t.state, failure_reason = t.reason, failure_detail = t.detail, canceled_at = t.canceled_at,
         due_at = case when t.state = 'scheduled' and t.due_at is null and sends.campaign_id <> all($9::text[]) then $10 else t.due_at end
    from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[])
         as t (workspace_id, id, fence, state, reason, detail, due_at, canceled_at)
   where sends.workspace_id = t.workspace_id and sends.id = t.id and sends.fence = t.fence and sends.state = 'sending'
  returning sends.*`;

type Fated = { send: Send; fence: number; fate: Fate };

/** Write the fates, tenant by tenant. */
export async function endUnsent(world: World, finished: readonly Finished[]): Promise<void> {
  const tenants = Map.groupBy(finished, (one) => `${one.send.workspace_id} ${one.send.mode}`);
  for (const [, those] of [...tenants].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { workspace_id: workspaceId, mode } = those[0]!.send;
    await endOfTenant(actingFor(world, workspaceId, mode), those);
  }
}

/**
 * Campaigns, contacts, enrollments and sends are locked in this order, as everywhere. Only what the last statement still finds under its fence
 * has consequences: a send that another worker took over is not ours to decide.
 */
async function endOfTenant(ctx: Ctx, finished: readonly Finished[]): Promise<void> {
  const fates = await fatesOf(ctx, finished);
  if (fates.length === 0) return;
  const campaignIds = fates.flatMap(({ send }) => send.campaign_id ?? []);
  await lockForBounces(ctx, fates.flatMap(({ send, fate }) => (fate.ends === 'bounced' ? (send.campaign_id ?? []) : []))); // prettier-ignore
  const leads = fates.filter(({ fate }) => fate.ends || plansAnew(fate)).map(({ send }) => send);
  await wakePlanner(ctx, leads.flatMap((send) => send.campaign_id ?? []), ctx.now); // prettier-ignore
  const halted = await rowsOf<{ id: string }>(
    ctx.db,
    `select id from campaigns where workspace_id = $1 and id = any($2) and status <> 'running' order by id for share`,
    [ctx.workspaceId, campaignIds],
  );
  await lockShare(ctx, fates.flatMap(({ send, fate }) => (fate.ends === 'bounced' ? (send.contact_id ?? []) : []))); // prettier-ignore
  await lockEnrollments(ctx, leads.flatMap((send) => send.enrollment_id ?? [])); // prettier-ignore
  const set = await rowsOf<Send>(ctx.db, SET_FATE, [
    fates.map(() => ctx.workspaceId),
    fates.map(({ send }) => send.id),
    fates.map(({ fence }) => fence),
    fates.map(({ fate }) => fate.state),
    fates.map(({ fate }) => fate.failure_reason),
    fates.map(({ fate }) => fate.failure_detail),
    fates.map(({ fate }) => fate.due_at),
    fates.map(({ fate }) => (fate.state === 'canceled' ? ctx.now : null)),
    halted.map((row) => row.id),
    ctx.now,
  ]);
  await followUp(ctx, set, new Map(fates.map(({ send, fate }) => [send.id, fate])));
}

async function fatesOf(ctx: Ctx, finished: readonly Finished[]): Promise<Fated[]> {
  const ids = finished.map((one) => one.send.id);
  const rows = await rowsOf<Send>(ctx.db, 'select * from sends where workspace_id = $1 and id = any($2)', [ctx.workspaceId, ids]);
  const known = new Map(rows.map((row) => [row.id, row]));
  return finished.flatMap(({ send: { id, fence }, outcome }) => {
    const send = known.get(id);
    const fate = send && fateOf(send, outcome, ctx.now);
    return send && fate ? [{ send, fence, fate }] : [];
  });
}

const TELLING: ReadonlySet<Send['failure_reason']> = new Set<Send['failure_reason']>([
  'recipient_rejected', 'invalid_recipient', 'content_rejected', 'rate_limited', 'connection_failed', 'timeout', 'provider_error',
]); // prettier-ignore

/** What the fates mean for enrollments, contacts and suppressions, and the events that tell of them. */
async function followUp(ctx: Ctx, set: readonly Send[], fates: ReadonlyMap<string, Fate>): Promise<void> {
  const endingAs = (as: Ending) => set.filter((send) => fates.get(send.id)?.ends === as);
  const bounced = endingAs('bounced');
  await markBounced(ctx, bounced.flatMap((send) => send.contact_id ?? [])); // prettier-ignore
  for (const as of ['bounced', 'failed', 'unsubscribed'] as const) {
    const ended = await endEnrollments(ctx, endingAs(as).flatMap((send) => send.enrollment_id ?? []).sort(), as); // prettier-ignore
    const isOver = new Set(ended.map((one) => one.id));
    const counted = bounced.filter((send) => send.enrollment_id !== null && isOver.has(send.enrollment_id));
    if (as === 'bounced') await countBounces(ctx, counted);
  }
  await planAgain(ctx, set.filter((send) => plansAnew(fates.get(send.id)!)).flatMap((send) => send.enrollment_id ?? [])); // prettier-ignore
  await suppressAll(ctx, bounced.map((send) => ({ email: send.to_email, reason: 'hard_bounce' as const, sourceSendId: send.id }))); // prettier-ignore
  // What speaks of the mailbox: refusals and broken connections, not what our own gates stopped.
  const failed = endingAs('failed').filter((send) => TELLING.has(send.failure_reason));
  await noteTroubles(ctx, [
    ...bounced.map((send) => ({ inboxId: send.inbox_id, kind: 'hard_bounces' as const })),
    ...failed.map((send) => ({ inboxId: send.inbox_id, kind: 'failures' as const })),
  ]);
  for (const send of set) {
    if (send.state !== 'failed' && send.state !== 'canceled') continue;
    const type = send.state === 'failed' ? 'send.failed' : 'send.canceled';
    record(ctx, { type, resourceId: send.id, data: presentSend(send), metadata: send.metadata as object | null });
  }
}
