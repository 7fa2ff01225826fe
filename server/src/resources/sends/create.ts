import { emailKey } from '#platform/email-address.ts';
import { Refusal } from '#platform/refusal.ts';
import { contactsByEmail } from '#resources/contacts/index.ts';
import { record } from '#resources/events/index.ts';
import { type Inbox, byIds } from '#resources/inboxes/index.ts';
import { keepLinks } from '#resources/links/index.ts';
import { isRefused, planReactions } from '#resources/sandbox-reactions/index.ts';
import { suppressedAmong } from '#resources/suppressions/index.ts';
import { countUsage, monthOf, sendsLeft } from '#resources/workspaces/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { keepFiles } from './attachments.ts';
import { copiesOf, noteCopies } from './copies.ts';
import { type Facts, type Wanted, planOne } from './plan-one.ts';
import { templateCache } from './render-letter.ts';
import { deliverAtOnce, recordOutbound } from './sandbox.ts';
import { type Letter, insertAll } from './store.ts';
import { threadingsOf } from './threading.ts';
import { present } from './wire.ts';

const QUOTA_MARGIN = 5_000;

/**
 * Schedule one-off sends, many callers' in one go, within one workspace and mode. Answers each in order: its row, or why it was refused.
 * The rows carry what will leave: rendered texts, Message-ID, due time; the engine only carries them out.
 */
export async function createSends(ctx: Ctx, wanted: readonly Wanted[]): Promise<(Letter | Refusal)[]> {
  const facts = await factsFor(ctx, wanted);
  let left = await quotaLeft(ctx);
  const outcomes = wanted.map((one): Letter | Refusal => {
    const outcome = left <= 0 ? new Refusal('plan_limit_reached', 'The sends of this month are used up.') : planOne(ctx, one, facts);
    if (!(outcome instanceof Refusal)) left--;
    return outcome;
  });
  const rows = await scheduleAll(ctx, outcomes.filter((one): one is Letter => !(one instanceof Refusal)), facts.inboxes); // prettier-ignore
  await noteCopies(ctx, rows);
  await keepLinks(ctx, facts.tracked);
  return outcomes.map((one) => (one instanceof Refusal ? one : rows.shift()!));
}

/** Everything that has to be known of these sends, asked of the database once for all of them. */
async function factsFor(ctx: Ctx, wanted: readonly Wanted[]): Promise<Facts> {
  const files = wanted.flatMap((one) => one.attachments ?? []);
  return {
    inboxes: new Map((await byIds(ctx, [...new Set(wanted.map((one) => one.inbox_id))])).map((inbox) => [inbox.id, inbox])),
    ...(await addressees(ctx, wanted.flatMap((one) => [one.to, ...copiesOf(one)]))),
    threadings: await threadingsOf(ctx, wanted),
    files: files.length ? await keepFiles(ctx, files) : new Map(),
    parsed: templateCache(),
    tracked: new Map(),
  }; // prettier-ignore
}

/** Contacts and suppressions of these addresses. */
export async function addressees(ctx: Ctx, people: readonly { email: string }[]): Promise<Pick<Facts, 'contacts' | 'suppressed'>> {
  const keys = [...new Set(people.map((one) => emailKey(one.email)))];
  return { contacts: await contactsByEmail(ctx, keys), suppressed: await suppressedAmong(ctx, keys) };
}

/** Near its end the month's count is locked first, so that callers side by side cannot go over it together. */
async function quotaLeft(ctx: Ctx): Promise<number> {
  const left = (await sendsLeft(ctx)) ?? Infinity;
  if (left > QUOTA_MARGIN) return left;
  await countUsage(ctx, monthOf(ctx.now), 0);
  return (await sendsLeft(ctx)) ?? Infinity;
}

/** Insert, count and tell: what stands for all sends that begin, one-off or a campaign's. */
export async function scheduleAll(ctx: Ctx, planned: readonly Letter[], inboxes: ReadonlyMap<string, Inbox>): Promise<Letter[]> {
  if (planned.length === 0) return [];
  // A campaign's send goes through the sending loop in either mode: its outcome moves the enrollment on.
  const isAtOnce = (row: Letter) =>
    row.campaign_id === null &&
    row.scheduled_at <= ctx.now &&
    inboxes.get(row.inbox_id)?.provider === 'sandbox' &&
    !isRefused(row.to_email, ctx.config.SANDBOX_DOMAIN);
  const sandbox = planned.filter(isAtOnce);
  const atOnce = new Map((sandbox.length ? await deliverAtOnce(ctx, sandbox) : []).map((row) => [row.id, row]));
  const rows = planned.map((row) => atOnce.get(row.id) ?? row);
  await insertAll(ctx, rows);
  await recordOutbound(ctx, rows, inboxes);
  await planReactions(ctx, rows.filter((row) => row.state === 'sent')); // prettier-ignore
  if (ctx.mode === 'live') await countUsage(ctx, monthOf(ctx.now), rows.length);
  for (const row of rows) {
    const tell = (type: 'send.scheduled' | 'send.sending' | 'send.sent', as: Partial<Letter>) =>
      record(ctx, { type, resourceId: row.id, data: present({ ...row, ...as }), metadata: row.metadata as object | null });
    tell('send.scheduled', { state: 'scheduled', sent_at: null, attempt_count: 0 });
    if (row.state !== 'sent') continue;
    tell('send.sending', { state: 'sending', sent_at: null });
    tell('send.sent', {});
  }
  return rows;
}
