// `npm run demo`: the whole service as real processes, a post office with people behind it, a campaign from the CSV to the last mail, and then the
// check, message by message, of what Postrider says against what arrived.
import { parseArgs } from 'node:util';
import { Postrider } from '@postrider/sdk';
import { systemClock } from '#platform/clock.ts';
import { killer } from './killer.ts';
import { type Done, STEP_COUNT, runJob, stepOf } from './job.ts';
import { checkLedger } from './ledger.ts';
import { csvOf, expectedDeliveries, habitsOf, peopleOf } from './people.ts';
import { type Progress, progressOn, snapshotOf } from './progress.ts';
import { figuresOf, isSound, reportOf } from './report.ts';
import { isSandboxSound, runSandbox } from './sandbox.ts';
import { type Stage, fastClock, openStage } from './stage.ts';
import { openTown } from './town.ts';

const USAGE = `Usage: npm run demo -- [--json] [--keep] [--kill N] [--seed N] [--sandbox [--quiet]]
  --json     print the figures as one JSON object to standard output, and nothing else (npm run --silent demo)
  --keep     leave everything running afterwards, until Ctrl-C
  --kill N   kill the worker N times in the midst of it (SIGKILL), and start it again
  --seed N   another list of people, other habits, other moments (default 1)
  --sandbox  in test mode instead, thirty days by the test clock, beside the forecast
  --quiet    with --sandbox: nobody answers and nothing bounces, so that run and forecast are equal`;

const SPEED = 60;
const PEOPLE = 300;
const SANDBOX_PEOPLE = 1_000;
const SANDBOX_INBOXES = 10;
const SENDERS = [
  { email: 'ann@sender.test', name: 'Ann Berger' },
  { email: 'ben@sender.test', name: 'Ben Çelik' },
  { email: 'cleo@sender.test', name: 'Cléo Dubois' },
];
const PACE = { daily_limit: 400, ramp: { enabled: false }, min_gap_seconds: 2, max_gap_seconds: 5 };
const DEADLINE_MS = 120_000;
const PER_KILL_MS = 15_000;
/** Between release and acceptance lies one round trip on this machine; two seconds allow for a busy one. */
const IN_FLIGHT_MS = 2_000 * SPEED;

type Options = { json: boolean; keep: boolean; kills: number; seed: number; sandbox: boolean; quiet: boolean };

function optionsOf(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      json: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      kill: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      sandbox: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
    },
  });
  const whole = (name: 'kill' | 'seed') => {
    if (!/^\d{1,6}$/.test(values[name])) throw new Error(`--${name} takes a whole number.`);
    return Number(values[name]);
  };
  if (values.quiet && !values.sandbox) throw new Error('--quiet goes with --sandbox.');
  const { json, keep, sandbox, quiet } = values;
  return { json, keep, sandbox, quiet, kills: whole('kill'), seed: whole('seed') };
}

/** Ends what is under way, in order, at Ctrl-C and the like. `stop` gives the signals back. */
function interruption() {
  const ending = new AbortController();
  let code = 0;
  const handlers = Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }).map(([name, number]) => {
    const end = () => {
      code = number;
      ending.abort(new Error(`Ended by ${name}.`));
    };
    process.on(name, end);
    return () => process.off(name, end);
  });
  return { signal: ending.signal, code: () => code, stop: () => handlers.forEach((give) => give()) };
}

type Play = Omit<Options, 'sandbox' | 'quiet'> & { progress: Progress; signal: AbortSignal; fast: ReturnType<typeof fastClock> };

/** From the empty folder to the report; answers whether everything is as it should be. */
async function play({ json, keep, kills, seed, progress, signal, fast: { clock, settings } }: Play): Promise<boolean> {
  const started = clock.monotonic();
  const seconds = () => (clock.monotonic() - started) / 1000;
  const people = peopleOf(PEOPLE, seed);
  const habits = habitsOf(people, seed);
  const expected = expectedDeliveries(habits);
  await using closing = new AsyncDisposableStack();
  progress.note('Starting the database, the API and the worker, each in a process of its own …');
  const stage = closing.adopt(await openStage(clock, settings), (one) => one.close());
  const death = killer({ kills, expected, seed, clock, replace: () => stage.replaceWorker() });
  const wished = { senders: SENDERS, habits, seed, clock, speed: SPEED, onDelivery: death.onDelivery };
  const town = closing.adopt(await openTown(wished), (one) => one.close());
  const { csv, emails } = csvOf(people);
  progress.note(
    `They run after ${seconds().toFixed(1)} s. Now ${emails.length} rows, three mailboxes, three mails, a calendar ${SPEED} times faster …`,
  );
  const job = runJob({
    api: new Postrider({ apiKey: stage.liveKey, baseUrl: stage.baseUrl }),
    connections: town.connections,
    pace: PACE,
    csv,
    clock,
    deadlineMs: () => DEADLINE_MS + PER_KILL_MS * kills,
    isQuiet: () => town.underWay() === 0 && death.isIdle(),
    onLook: (look) => progress.show(snapshotOf(look, { seconds: seconds(), kills: death.kills(), expected })),
    signal,
  });
  const done = await Promise.race([job, stage.broken]);
  progress.end();
  const verdict = verdictOf(done, emails, town.deliveries());
  const figures = figuresOf(done, verdict, { delivered: town.deliveries().length, seconds: seconds(), kills: death.kills() });
  process.stdout.write(json ? `${JSON.stringify(figures)}\n` : reportOf(figures, done, verdict));
  if (keep) await kept(stage, json, signal);
  return isSound(figures);
}

/** The job in test mode: an API and a worker, sandbox inboxes, and the test clock. */
async function playSandbox({ json, keep, seed, quiet, progress, signal }: Options & Pick<Play, 'progress' | 'signal'>): Promise<boolean> {
  const clock = systemClock();
  await using closing = new AsyncDisposableStack();
  progress.note('Starting the database, the API and the worker, each in a process of its own …');
  const stage = closing.adopt(await openStage(clock, {}), (one) => one.close());
  const emails = peopleOf(SANDBOX_PEOPLE, seed).map((one) => one.email);
  progress.note(`They run. Now ${emails.length} people, ${SANDBOX_INBOXES} sandbox inboxes, three mails, thirty days …`);
  const api = new Postrider({ apiKey: stage.testKey, baseUrl: stage.baseUrl });
  const { figures, report } = await Promise.race([runSandbox({ api, emails, inboxes: SANDBOX_INBOXES, seed, quiet, clock }), stage.broken]);
  progress.end();
  process.stdout.write(json ? `${JSON.stringify(figures)}\n` : report);
  if (keep) await kept(stage, json, signal);
  return isSandboxSound(figures, quiet);
}

function verdictOf(done: Done, emails: readonly string[], deliveries: Parameters<typeof checkLedger>[0]['deliveries']) {
  const bad = new Set(done.imported.errors.map((one) => one.row));
  // The header is row 1.
  const accepted = emails.filter((_, index) => !bad.has(index + 2)).map((email) => email.toLowerCase());
  const { succeeded_rows: succeeded } = done.imported;
  if (accepted.length !== succeeded) throw new Error(`The import counts ${succeeded} good rows, but names faults in all but ${accepted.length}.`);
  return checkLedger({ ...done, accepted, deliveries, stepOf, steps: STEP_COUNT, inFlightMs: IN_FLIGHT_MS });
}

/** Leave it running until somebody ends it. */
async function kept({ baseUrl, liveKey, testKey, broken }: Stage, json: boolean, signal: AbortSignal): Promise<void> {
  const lines = ['It goes on running, until Ctrl-C:', `  API        ${baseUrl}`, `  Live key   ${liveKey}`, `  Test key   ${testKey}`, ''];
  (json ? process.stderr : process.stdout).write(`${lines.join('\n')}\n`);
  const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  if (!signal.aborted) await Promise.race([ended, broken]);
}

async function main(): Promise<number> {
  let options: Options;
  try {
    options = optionsOf(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}\n`);
    return 2;
  }
  const fast = fastClock(SPEED);
  const progress = progressOn(process.stderr, fast.clock);
  const interrupted = interruption();
  try {
    const means = { progress, signal: interrupted.signal };
    const isSoundRun = await (options.sandbox ? playSandbox({ ...options, ...means }) : play({ ...options, ...means, fast }));
    return isSoundRun ? 0 : 1;
  } catch (error) {
    progress.end();
    process.stderr.write(`${(error as Error).message}\n`);
    return interrupted.code() || 1;
  } finally {
    interrupted.stop();
  }
}

// As in roles/main.ts: Node´s own clean-up may not come to an end.
process.exit(await main());
