// How far the job is, on standard error: a table that is drawn again and again on a terminal, a line every two seconds elsewhere.
import { styleText } from 'node:util';
import type { WriteStream } from 'node:tty';
import type { Clock } from '#platform/clock.ts';
import type { Look } from './job.ts';
import { STEP_COUNT, stepOf } from './job.ts';

export type Snapshot = {
  seconds: number;
  /** Of the campaign. */
  state: string;
  mailboxes: { address: string; cap: number; sent: number; perStep: number[] }[];
  perStep: number[];
  replied: number;
  outOfOffice: number;
  bounced: number;
  failed: number;
  /** Sends whose outcome is not known. */
  unknown: number;
  /** Conversations that an answer or a bounce ended. */
  stopped: number;
  kills: number;
  /** About how many mails it will be. */
  expected: number;
};

/** Count one look. */
export function snapshotOf({ campaign, inboxes, log }: Look, rest: Pick<Snapshot, 'seconds' | 'kills' | 'expected'>): Snapshot {
  const sent = log.known('send.sent').map(({ data }) => ({ inbox: data['inbox_id'], step: stepOf(String(data['subject'])) }));
  const stepsOf = (those: typeof sent) => Array.from({ length: STEP_COUNT }, (_, index) => those.filter((one) => one.step === index + 1).length);
  const hard = log.known('message.bounced').filter(({ data }) => data['bounce_type'] === 'hard').length;
  const replied = new Set(log.known('message.replied').map(({ data }) => data['from_email'])).size;
  const failures = log.known('send.failed');
  const because = (reason: string) => failures.filter(({ data }) => data['failure_reason'] === reason).length;
  const refused = because('invalid_recipient');
  return {
    ...rest,
    state: campaign.status === 'running' ? (campaign.send_status?.replaceAll('_', ' ') ?? 'starting') : campaign.status,
    mailboxes: inboxes
      .map((inbox) => {
        const those = sent.filter((one) => one.inbox === inbox.id);
        return { address: inbox.email_address, cap: inbox.effective_daily_limit, sent: those.length, perStep: stepsOf(those) };
      })
      .sort((a, b) => a.address.localeCompare(b.address)),
    perStep: stepsOf(sent),
    replied,
    outOfOffice: log.known('message.autoresponse').length,
    bounced: hard + refused,
    failed: failures.length - because('outcome_unknown'),
    unknown: because('outcome_unknown'),
    stopped: replied + hard + refused,
  };
}

/** Columns set under each other: the first to the left, the others to the right. */
export function columns(rows: readonly (readonly (string | number)[])[]): string[] {
  const widths = rows[0]!.map((_, index) => Math.max(...rows.map((row) => String(row[index]).length)));
  return rows.map((row) => row.map((cell, index) => (index ? String(cell).padStart(widths[index]!) : String(cell).padEnd(widths[0]!))).join('   '));
}

const clockFace = (seconds: number) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
const total = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
const answersIn = (shot: Snapshot, away: string) => `replied ${shot.replied}, ${away} ${shot.outOfOffice}, bounced ${shot.bounced}`;
const endsIn = (shot: Snapshot) => `failed ${shot.failed}${shot.unknown ? `, unknown ${shot.unknown}` : ''}`;

/** The table, at most `width` wide. */
export function tableOf(shot: Snapshot, width: number, isColoured: boolean): string[] {
  const style = (format: Parameters<typeof styleText>[0], text: string) => (isColoured ? styleText(format, text, { validateStream: false }) : text);
  const steps = Array.from({ length: STEP_COUNT }, (_, index) => `step ${index + 1}`);
  const [head = '', ...rows] = columns([
    ['Mailbox', "today's cap", 'sent', ...steps],
    ...shot.mailboxes.map((one) => [one.address, one.cap, one.sent, ...one.perStep]),
    ['all', total(shot.mailboxes.map((one) => one.cap)), total(shot.perStep), ...shot.perStep],
  ]).map((line) => line.slice(0, width));
  const share = shot.state === 'completed' ? 1 : Math.min(0.99, total(shot.perStep) / shot.expected);
  const bar = Math.max(0, Math.min(40, width - 20));
  const full = Math.round(share * bar);
  const percent = `${Math.round(share * 100)} %`.padStart(6);
  return [
    '',
    style('dim', head),
    ...rows.slice(0, -1),
    style('bold', rows.at(-1) ?? ''),
    '',
    `${answersIn(shot, 'out of office')}, stopped ${shot.stopped}, ${endsIn(shot)}`.slice(0, width),
    `${style('green', '█'.repeat(full))}${style('dim', '░'.repeat(bar - full))}${percent}   ${clockFace(shot.seconds)}`,
    style('dim', `${shot.state}${shot.kills ? `; worker killed ${shot.kills}×` : ''}`.slice(0, width)),
  ];
}

/** The same in one line, which 100 columns hold. */
export function lineOf(shot: Snapshot): string {
  const sent = `sent ${String(total(shot.perStep)).padStart(3)} (${shot.perStep.join('+')})`.padEnd(22);
  return `${clockFace(shot.seconds).padStart(5)}  ${sent}  ${answersIn(shot, 'away')}, ${endsIn(shot)}${shot.kills ? `, killed ${shot.kills}×` : ''}`;
}

export type Progress = { show(shot: Snapshot): void; note(text: string): void; end(): void };

const LINE_EVERY_MS = 2_000;

/** Show progress on `stream`. Colours only where the stream has them and NO_COLOR does not forbid it. */
export function progressOn(stream: WriteStream, clock: Clock): Progress {
  const write = (text: string) => void stream.write(text);
  if (!stream.isTTY) {
    let last = -Infinity;
    const show = (shot: Snapshot) => {
      if (clock.monotonic() - last < LINE_EVERY_MS && shot.state !== 'completed') return;
      last = clock.monotonic();
      write(`${lineOf(shot)}\n`);
    };
    return { show, note: (text) => write(`${text}\n`), end: () => undefined };
  }
  const isColoured = stream.hasColors();
  let drawn: string[] = [];
  const up = () => (drawn.length ? `\x1b[${drawn.length}A\r\x1b[J` : '');
  const draw = (lines: string[], before = '') => {
    write(`\x1b[?25l${up()}${before}${lines.join('\n')}${lines.length ? '\n' : ''}`);
    drawn = lines;
  };
  return {
    show: (shot) => draw(tableOf(shot, Math.max(20, stream.columns - 1), isColoured)),
    note: (text) => draw(drawn, `${text}\n`),
    end: () => {
      drawn = [];
      write('\x1b[?25h');
    },
  };
}
