// What came of it, for people and for programs.
import type { Done } from './job.ts';
import { STEP_COUNT, stepOf } from './job.ts';
import type { Verdict } from './ledger.ts';
import { columns } from './progress.ts';

export type Figures = {
  lost: number;
  duplicated: number;
  after_answer: number;
  unaccounted: number;
  /** Sends whose outcome is not known and is said to be so. */
  unknown: number;
  sent: number;
  delivered: number;
  rows: number;
  accepted_rows: number;
  /** Of the accepted rows, those whose first step was sent. */
  sent_share: number;
  per_step: Record<string, number>;
  per_mailbox: Record<string, number>;
  /** People who wrote back. */
  replied: number;
  out_of_office: number;
  /** People whose address takes no mail, by a report or by a refusal. */
  bounced: number;
  soft_bounced: number;
  /** Conversations that ended before their last step. */
  stopped: number;
  /** Sends that failed, without those of unknown outcome. */
  failed: number;
  completed: boolean;
  seconds: number;
  kills: number;
};

const LEAST_SHARE = 0.99;

const isFaultless = (one: Figures) => one.lost + one.duplicated + one.after_answer + one.unaccounted === 0;
/** Whether everything is as it should be. */
export const isSound = (one: Figures): boolean => one.completed && isFaultless(one) && one.sent_share >= LEAST_SHARE;

/** All figures of one run. */
export function figuresOf(done: Done, verdict: Verdict, rest: { delivered: number; seconds: number; kills: number }): Figures {
  const { sends, events, enrollments, imported, inboxes } = done;
  const sent = sends.filter((send) => send.state === 'sent');
  const mailOf = new Map(inboxes.map((inbox) => [inbox.id, inbox.email_address]));
  const about = (type: string) => events.filter((event) => event.type === type);
  const ended = (...states: string[]) => enrollments.filter((one) => states.includes(one.status)).length;
  const counted = (names: readonly string[], of: (send: (typeof sent)[number]) => string | undefined) =>
    Object.fromEntries(names.map((name) => [name, sent.filter((send) => of(send) === name).length]));
  return {
    lost: verdict.lost.length,
    duplicated: verdict.duplicated.length,
    after_answer: verdict.afterAnswer.length,
    unaccounted: verdict.unaccounted.length,
    unknown: verdict.unknown.length,
    sent: sent.length,
    delivered: rest.delivered,
    rows: imported.total_rows,
    accepted_rows: imported.succeeded_rows,
    sent_share: Math.floor(verdict.sentShare * 10_000) / 10_000,
    per_step: counted(Array.from({ length: STEP_COUNT }, (_, index) => String(index + 1)), (send) => String(stepOf(send.subject))), // prettier-ignore
    per_mailbox: counted([...mailOf.values()].sort(), (send) => mailOf.get(send.inbox_id)),
    replied: new Set(about('message.replied').map(({ data }) => data['from_email'])).size,
    out_of_office: about('message.autoresponse').length,
    bounced: ended('bounced'),
    soft_bounced: about('message.bounced').filter(({ data }) => data['bounce_type'] === 'soft').length,
    stopped: ended('replied', 'bounced', 'unsubscribed', 'failed'),
    failed: sends.filter((send) => send.state === 'failed').length - verdict.unknown.length,
    completed: done.isComplete,
    seconds: Math.round(rest.seconds * 10) / 10,
    kills: rest.kills,
  };
}

const SHOWN = 10;

/** The report for people. */
export function reportOf(figures: Figures, { imported, sends }: Done, verdict: Verdict): string {
  const faults = [...verdict.lost, ...verdict.duplicated, ...verdict.afterAnswer, ...verdict.unaccounted];
  const reasons = Map.groupBy(imported.errors, (one) => one.error.code);
  const failed = sends.filter((send) => send.state === 'failed' && send.failure_reason !== 'outcome_unknown');
  const failures = Map.groupBy(failed, (send) => send.failure_reason ?? 'failed');
  const counts = (groups: ReadonlyMap<string, unknown[]>) => [...groups].map(([name, all]) => `${name} ${all.length}`).join(', ');
  const pairs = (of: Record<string, number>, word = '') =>
    Object.entries(of)
      .map(([name, count]) => `${word}${name} ${count}`)
      .join(', ');
  const bracketed = (text: string) => (text ? ` (${text})` : '');
  const lines = [
    ['Rows', `${figures.rows} in the file, ${figures.accepted_rows} accepted, ${imported.failed_rows} not${bracketed(counts(reasons))}`],
    ['Sent', `${figures.sent}: ${pairs(figures.per_step, 'step ')}`],
    ['From', pairs(figures.per_mailbox)],
    [
      'Answers',
      `replied ${figures.replied}, out of office ${figures.out_of_office}, bounced ${figures.bounced}, soft bounces ${figures.soft_bounced}`,
    ],
    ['Stopped', `${figures.stopped} conversations before their last mail`],
    ['Failed', `${figures.failed}${bracketed(counts(failures))}`],
    ['Time', `${figures.seconds} s${figures.kills ? `, the worker was killed ${figures.kills} times` : ''}`],
  ];
  const check = columns([
    ['  lost', figures.lost, ''],
    ['  sent twice', figures.duplicated, ''],
    ['  sent after an answer', figures.after_answer, ''],
    ['  without a send behind it', figures.unaccounted, ''],
    ['  of unknown outcome, and said to be', figures.unknown, ''],
  ]).map((line) => line.trimEnd());
  return [
    '',
    ...lines.map(([name = '', text = '']) => `${name.padEnd(9)}${text}`),
    '',
    `${figures.delivered} messages at the post office, each held against what the API says:`,
    ...check,
    ...[...faults, ...verdict.unknown].slice(0, SHOWN).map((fault) => `    ${fault}`),
    '',
    conclusion(figures),
    '',
  ].join('\n');
}

function conclusion(figures: Figures): string {
  if (!figures.completed) return 'The campaign did not come to its end in time.';
  const share = `${(figures.sent_share * 100).toFixed(2)} % of the accepted rows got their first mail`;
  if (isSound(figures)) return `Everything agrees. ${share}.`;
  return isFaultless(figures) ? `What was sent agrees, but only ${share}.` : `This does not agree. ${share}.`;
}
