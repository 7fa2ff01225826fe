import { inTransaction } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import { byIds as inboxesByIds } from '#resources/inboxes/index.ts';
import { type Message, byMessageId, insertOutbound, presentMessage } from '#resources/messages/index.ts';
import { type Send, lockSend, outboundOf } from '#resources/sends/index.ts';
import { type Mark, markAll } from '#resources/variant-races/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { ALL_LINKS_MS, type Facts, type Judged, TOO_MANY, judge } from './judge.ts';
import * as store from './store.ts';

/** Who came: what the request shows, or, where there was no request (a simulated reader), the judgement itself. */
export type Hit = Pick<Facts, 'method' | 'userAgent' | 'address' | 'isPrefetch' | 'isOwn'> | Judged;

/** Further ones of the same send are answered and not kept: a reader has no use for so many, and whoever holds a mail could fill the disk. */
const MOST_HITS = 1_000;

/** The pixel of a send was asked for. Nothing happens when the send has not left, or is not there. */
export const recordOpen = (ctx: Ctx, sendId: string, hit: Hit): Promise<void> => keep(ctx, sendId, { kind: 'open', url: null, hit });

/** A link of a send was followed to `url`. */
export const recordClick = (ctx: Ctx, sendId: string, url: string, hit: Hit): Promise<void> => keep(ctx, sendId, { kind: 'click', url, hit });

type What = { kind: Facts['kind']; url: string | null; hit: Hit };

function keep(ctx: Ctx, sendId: string, what: What): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    if ((await store.countOf(ctx, sendId)) >= MOST_HITS) return;
    // Hits of one send one after the other: each is judged by those before it, and one is the first.
    const send = await lockSend(ctx, sendId);
    if (!send || send.state === 'scheduled' || send.state === 'canceled') return;
    await note(ctx, send, what);
  });
}

async function note(ctx: Ctx, send: Send, { kind, url, hit }: What): Promise<void> {
  const nth = (await store.countOf(ctx, send.id)) + 1;
  if (nth > MOST_HITS) return;
  const others = url === null ? [] : await store.otherClicks(ctx, send.id, url, new Date(ctx.now.getTime() - ALL_LINKS_MS));
  const judged = judgedBy(ctx, send, { kind, hit, otherLinks: others.length });
  const mistaken = judged.because === TOO_MANY ? others.filter((one) => one.made_by === 'human') : [];
  if (mistaken.length > 0) await store.rejudge(ctx, send.id, mistaken.map((one) => one.nth), judged.made_by, TOO_MANY); // prettier-ignore
  const isFirst = judged.made_by === 'human' && !(await store.hasFirst(ctx, send.id, kind));
  const { address, userAgent } = 'address' in hit ? hit : { address: null, userAgent: null };
  await store.insert(ctx, {
    send_id: send.id,
    nth,
    kind,
    url,
    ...judged,
    is_first: isFirst,
    address_hash: address === null ? null : ctx.box.sign(`${ctx.workspaceId} ${address}`, 'address').toString('hex'),
    user_agent: userAgent,
    at: ctx.now,
  });
  const about = { workspace_id: send.workspace_id, send_id: send.id };
  const undone = mistaken.filter((one) => one.is_first).map((one): Mark => ({ ...about, kind: 'unclicked', nth: one.nth }));
  await markAll(ctx, isFirst ? [...undone, { ...about, kind: kind === 'open' ? 'opened' : 'clicked', nth }] : undone);
  const message = await messageOf(ctx, send);
  const more = { send_id: send.id, kind: judged.made_by, because: judged.because, is_first: isFirst, ...(url !== null && { url }) };
  const type = kind === 'open' ? 'message.opened' : 'message.clicked';
  record(ctx, { type, resourceId: message.id, data: { ...presentMessage(message), ...more }, metadata: send.metadata as object | null });
}

function judgedBy(ctx: Ctx, send: Send, { kind, hit, otherLinks }: { kind: Facts['kind']; hit: Hit; otherLinks: number }): Judged {
  if ('made_by' in hit) return { made_by: hit.made_by, because: hit.because };
  const sinceSentMs = send.sent_at === null ? null : ctx.now.getTime() - send.sent_at.getTime();
  return judge({ ...hit, kind, sinceSentMs, otherLinks });
}

/** The message that the send has become. Whoever opens it has it, even where the outcome is not written yet: then the row is written here. */
async function messageOf(ctx: Ctx, send: Send): Promise<Message> {
  const find = () => byMessageId(ctx, send.inbox_id, send.rfc822_message_id);
  const known = await find();
  if (known) return known;
  const [inbox] = await inboxesByIds(ctx, [send.inbox_id]);
  await insertOutbound(ctx, [outboundOf(ctx, send, inbox)]);
  return (await find())!;
}
