// The whole job against real servers: Postfix takes the mail and bounces it, Dovecot holds the answers, and every message is accounted for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConnectSmtpBody, Postrider } from '@postrider/sdk';
import { systemClock } from '#platform/clock.ts';
import { humanReply } from '#testing/persona/people.ts';
import { checkLedger } from '../src/roles/demo/ledger.ts';
import { STEP_COUNT, runJob, stepOf } from '../src/roles/demo/job.ts';
import { fastClock, openStage } from '../src/roles/demo/stage.ts';
import { type MailWorld, type Sender, startMailWorld } from './world.ts';

const SPEED = 60;
/** Local parts by what becomes of their mail (see MailWorld.domain). */
const PEOPLE = {
  silent: ['zoe', 'jose', 'asa', 'soeren', 'marie', 'tom', 'kofi', 'ravi', 'yuki', 'nina'],
  replying: ['reply-1', 'reply-2', 'reply-3', 'reply-4'],
  bouncing: ['bounce-1', 'bounce-2', 'bounce-3'],
  full: ['full-1'],
  unknown: ['unknown-1', 'unknown-2'],
  away: ['away'],
};

const connectionOf = ({ email, name, password, smtp, imap }: Sender): ConnectSmtpBody => ({
  email_address: email,
  display_name: name,
  smtp: { host: smtp.host, port: smtp.port, security: smtp.security, username: email, password },
  imap: { host: imap.host, port: imap.port, security: imap.security },
});

/** Answers every first mail to somebody who replies, once, through the front door of the mail server. */
function replier(world: MailWorld, now: () => Date): () => Promise<void> {
  const answered = new Set<string>();
  return async () => {
    for (const { recipient, raw } of world.readRecipientMail()) {
      if (!recipient.startsWith('reply-') || answered.has(recipient)) continue;
      answered.add(recipient);
      const crlf = Buffer.from(raw.toString('latin1').replaceAll(/\r?\n/g, '\r\n'), 'latin1');
      const answer = humanReply({ to: crlf, from: recipient, date: now(), text: 'Yes, please call me.' });
      await world.answerAs(recipient, /<?([^<>\s]+@sender\.test)>?/.exec(raw.toString('latin1'))![1]!, answer);
    }
  };
}

async function job(world: MailWorld) {
  const { clock, settings } = fastClock(SPEED);
  const stage = await openStage(clock, { ...settings, MAIL_CA_FILE: world.caFile });
  const answer = replier(world, clock.now);
  const fault = new AbortController();
  let answering = Promise.resolve();
  try {
    const rows = Object.values(PEOPLE).flat().map((local) => `${local}@${world.domain},${local}`); // prettier-ignore
    return await runJob({
      api: new Postrider({ apiKey: stage.liveKey, baseUrl: stage.baseUrl }),
      connections: world.senders.map(connectionOf),
      pace: { daily_limit: 400, ramp: { enabled: false }, min_gap_seconds: 2, max_gap_seconds: 6 },
      csv: `email,first_name\n${rows.join('\n')}\n`,
      clock: systemClock(),
      deadlineMs: () => 90_000,
      onLook: () => void (answering = answering.then(answer).catch((error: unknown) => fault.abort(error))),
      signal: fault.signal,
    });
  } finally {
    await answering;
    await stage.close();
  }
}

test('the main job over Postfix and Dovecot: nothing lost, nothing twice, nothing after an answer', { timeout: 150_000 }, async () => {
  const world = await startMailWorld();
  try {
    const done = await job(world);
    assert.ok(done.isComplete, 'the campaign came to its end');
    await world.postfix.settled();
    const arrived = world.readRecipientMail().flatMap(({ recipient, messageId }) => (messageId ? [{ recipient, messageId }] : []));
    const withoutBody = done.sends.filter((send) => /^(bounce|full|away)/.test(send.to_email) && send.state === 'sent');
    const mailable = Object.values(PEOPLE)
      .flat()
      .filter((local) => !local.startsWith('unknown'));
    const verdict = checkLedger({
      accepted: mailable.map((local) => `${local}@${world.domain}`),
      // What bounces behind Postfix, and what Sieve answers, lies in no mailbox that is read here: taken by Postfix is all that is known.
      deliveries: [...arrived, ...withoutBody.map((send) => ({ recipient: send.to_email, messageId: send.rfc822_message_id! }))].map((one) => ({
        ...one,
        login: '',
        acceptedAt: Number.MAX_SAFE_INTEGER,
      })),
      ...done,
      stepOf,
      steps: STEP_COUNT,
      // The order of claims and answers in the event log decides; the mailboxes tell no time.
      inFlightMs: Infinity,
    });
    assert.deepEqual(verdict, { lost: [], duplicated: [], afterAnswer: [], unaccounted: [], unknown: [], sentShare: 1 });
    const status = new Map(done.enrollments.map((one) => [one.contact_email.split('@')[0]!, one.status]));
    const statusesOf = (locals: readonly string[]) => new Set(locals.map((local) => status.get(local)));
    assert.deepEqual(statusesOf(PEOPLE.replying), new Set(['replied']));
    assert.deepEqual(statusesOf([...PEOPLE.bouncing, ...PEOPLE.unknown]), new Set(['bounced']));
    assert.deepEqual(statusesOf([...PEOPLE.silent, ...PEOPLE.full, ...PEOPLE.away]), new Set(['finished']));
    // Campaign mail names a way out in List-Unsubscribe, and such mail Sieve's vacation leaves unanswered (RFC 5230 4.6). bounce.test.ts shows its
    // answer to a mail without.
    assert.ok(!done.events.some((event) => event.type === 'message.autoresponse'), 'no program answers a mail with List-Unsubscribe');
  } finally {
    await world.stop();
  }
});
