// One warm-up mail from claim to outcome, over the same means as every other: our SMTP client, our composer, the held dot.
import { inTime } from '#platform/deadline.ts';
import { compose } from '#mail/compose/compose.ts';
import type { Accepted, Broken, HeldMessage, Refused, SmtpSession, Unknown, Unwritten } from '#mail/mail.ts';
import { type Inbox, serverOf } from '#resources/inboxes/index.ts';
import { type WarmupMail, HEADER, textOf, tokenOf } from '#resources/warmup/index.ts';
import type { World } from '#world/ctx.ts';
import type { CrashHook } from '../crash.ts';
import { RELEASE_VALID_MS } from '../held-dot.ts';
import { type Claimed, claimMail, putOff } from './claim.ts';
import { finish } from './finish.ts';
import { releaseDot } from './release.ts';

export type Outcome = Accepted | Refused | Broken | Unwritten | Unknown;

/** How long the way to the dot may take, so that the lease outlives it. */
const PREPARE_MS = 20_000;

const LATE: Broken = { kind: 'broken', phase: 'connect', fault: 'timeout', detail: 'The server took too long.' };
const NO_SERVER: Broken = { kind: 'broken', phase: 'connect', fault: 'protocol', detail: 'The inbox has no sending server.' };

/** Send the next mail of a leased inbox, if one may leave. */
export async function sendNext(world: World, inbox: Inbox, crash: CrashHook): Promise<void> {
  const claimed = await claimMail(world, inbox);
  if (!claimed) return;
  await crash('CP4 claimed');
  const started = world.clock.monotonic();
  const session = await connected(world, inbox);
  if ('kind' in session) return finish(world, claimed.mail, session);
  try {
    const left = PREPARE_MS - (world.clock.monotonic() - started);
    const { envelope, message } = letterOf(world, inbox, claimed);
    const held =
      (await inTime(world.clock, Math.max(1, left), session.offer(envelope, message), (late) => void ('abort' in late && late.abort()))) ?? LATE;
    if (held.kind === 'held') await letGo(world, { mail: claimed.mail, inbox, held }, crash);
    else await finish(world, claimed.mail, held);
  } finally {
    await session.close();
  }
}

async function connected(world: World, inbox: Inbox): Promise<SmtpSession | Refused | Broken> {
  const server = serverOf(world, inbox, 'smtp');
  if (!server) return NO_SERVER;
  return (await inTime(world.clock, PREPARE_MS, world.mail.connectSmtp(server), (late) => void ('kind' in late || late.close()))) ?? LATE;
}

type InHand = { mail: WarmupMail; inbox: Inbox; held: HeldMessage };

async function letGo(world: World, { mail, inbox, held }: InHand, crash: CrashHook): Promise<void> {
  await crash('CP8 body written');
  const asked = world.clock.monotonic();
  let verdict: Awaited<ReturnType<typeof releaseDot>>;
  try {
    verdict = await releaseDot(world, mail, inbox);
  } catch (error) {
    // Whether the release was committed is not known; the dot is ours to withhold, and the row is taken up when its lease has run out.
    held.abort();
    throw error;
  }
  if (verdict !== 'granted') {
    held.abort();
    if (verdict !== 'lost') await putOff(world, mail, verdict);
    return;
  }
  await crash('CP9 released');
  if (world.clock.monotonic() - asked > RELEASE_VALID_MS) {
    held.abort();
    return finish(world, mail, { kind: 'unwritten', detail: 'The release had grown old.' });
  }
  const outcome = await held.release();
  await crash('CP11 accepted');
  await finish(world, mail, outcome);
}

/** The bytes of a mail: plain text, in the thread that it answers, with our mark. */
function letterOf(world: World, inbox: Inbox, { mail, partner }: Claimed) {
  const { subject, text } = textOf(mail, inbox, partner);
  const message = compose({
    messageId: mail.rfc822_message_id,
    date: world.clock.now(),
    from: { email: inbox.email_address, name: inbox.display_name },
    to: [{ email: partner.email_address, name: partner.display_name }],
    subject,
    text,
    html: null,
    headers: [{ name: HEADER, value: tokenOf(world, { workspaceId: mail.workspace_id, id: mail.id }) }],
    ...(mail.thread_references.length > 0 && { inReplyTo: mail.thread_references.at(-1)!, references: mail.thread_references }),
    seed: mail.id,
  });
  return { envelope: { from: inbox.email_address, to: [partner.email_address] }, message };
}
