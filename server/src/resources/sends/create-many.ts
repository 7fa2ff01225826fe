// A bulk send: each recipient stands or falls alone; what is said of all of them stands or falls for the whole call.
import { emailKey } from '#platform/email-address.ts';
import { Refusal } from '#platform/refusal.ts';
import { rowsOf } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';
import { chooseInboxes } from './choose-inboxes.ts';
import { addressees, createSends } from './create.ts';
import { type NewSend, type Recipient, recipientsOf } from './letter-wire.ts';
import { type Wanted, barring } from './plan-one.ts';
import type { Letter, Row } from './store.ts';

/** Sends that are rendered and written in one go: their texts are in memory together. */
const CHUNK = 100;
/** Characters of all texts of a call together, before they are filled. */
const MAX_TEXT = 128_000_000;

/**
 * Schedule a send to each recipient. Answers each in order: its row, or why it was refused. Throws the refusal of whatever concerns the whole call.
 */
export async function createMany(ctx: Ctx, body: NewSend): Promise<(Row | Refusal)[]> {
  const { to: _, inbox_id: inboxId, from_strategy: strategy, ...letter } = body;
  const outcomes: (Recipient | Row | Refusal)[] = withoutDuplicates(recipientsOf(body));
  refuseTooMuch(letter, outcomes.length);
  await refuseBarred(ctx, outcomes as (Recipient | Refusal)[]);
  const places = outcomes.flatMap((one, i) => (one instanceof Refusal ? [] : [i]));
  const single = inboxId ?? (strategy?.type === 'single' ? strategy.inbox_id : undefined);
  const inboxIds = strategy && strategy.type !== 'single' ? await chooseInboxes(ctx, strategy, places.length) : places.map(() => single!);
  if (ctx.mode === 'test') await lockInboxes(ctx, inboxIds);
  for (let from = 0; from < places.length; from += CHUNK) {
    const here = places.slice(from, from + CHUNK);
    const wanted = here.map((place, i): Wanted => ({ ...letter, to: outcomes[place] as Recipient, inbox_id: inboxIds[from + i]! }));
    const made = await createSends(ctx, wanted);
    for (const [i, outcome] of made.entries())
      outcomes[here[i]!] = outcome instanceof Refusal ? ofItsRow(outcome, strategy !== undefined) : bare(outcome);
  }
  return outcomes as (Row | Refusal)[];
}

/** The second time that an address is named it is refused. */
function withoutDuplicates(recipients: readonly (Recipient | Refusal)[]): (Recipient | Refusal)[] {
  const seen = new Set<string>();
  return recipients.map((one) => {
    if (one instanceof Refusal) return one;
    const key = emailKey(one.email);
    if (seen.has(key)) return new Refusal('duplicate_recipient', `${one.email} is there twice.`, { param: 'to' });
    seen.add(key);
    return one;
  });
}

function refuseTooMuch({ body_html: html = '', body_text: text = '' }: Pick<NewSend, 'body_html' | 'body_text'>, count: number): void {
  if ((html.length + text.length) * count <= MAX_TEXT) return;
  throw new Refusal('payload_too_large', 'These texts to so many recipients are too much for one call.', { param: 'to' });
}

/** Those who must not be written to take no inbox's turn. */
async function refuseBarred(ctx: Ctx, recipients: (Recipient | Refusal)[]): Promise<void> {
  const barred = barring(await addressees(ctx, recipients.filter((one): one is Recipient => !(one instanceof Refusal)))); // prettier-ignore
  for (const [i, one] of recipients.entries()) {
    const why = one instanceof Refusal ? null : barred(one.email);
    if (why !== null) recipients[i] = new Refusal('recipient_suppressed', `${(one as Recipient).email} is ${why}.`, { param: 'to' });
  }
}

// Sandbox inboxes are locked as they deliver, chunk by chunk. All of them at once and in the order of their ids, so that two calls that share
// inboxes do not wait for each other in a circle.
async function lockInboxes(ctx: Ctx, ids: readonly string[]): Promise<void> {
  await rowsOf(ctx.db, 'select 1 from inboxes where workspace_id = $1 and mode = $2 and id = any($3) order by id for no key update', [
    ctx.workspaceId,
    ctx.mode,
    [...new Set(ids)],
  ]);
}

const OF_A_ROW = new Set(['to', 'subject', 'body_html', 'body_text']);

/** A refusal that concerns this recipient alone; any other is thrown. */
function ofItsRow(refusal: Refusal, byStrategy: boolean): Refusal {
  const { param } = refusal.details;
  if (refusal.code === 'plan_limit_reached' || (param !== undefined && OF_A_ROW.has(param))) return refusal;
  if (param !== 'inbox_id' || !byStrategy) throw refusal;
  throw new Refusal(refusal.code, refusal.message, { ...refusal.details, param: 'from_strategy.inbox_id' });
}

/** Without its texts: those of a thousand sends would be too much to hold. */
const bare = (send: Letter): Row => Object.assign(send, { body_html: null, body_text: null });
