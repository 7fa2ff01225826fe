// The post office of the demonstration and the people behind it, who answer by their habits, each after a while.
import type { Clock } from '#platform/clock.ts';
import { humanReply, outOfOffice } from '#testing/persona/people.ts';
import { dsn } from '#testing/persona/servers.ts';
import { type SmtpInbox, openPostOffice } from '#testing/post-office/index.ts';
import type { Script } from '#testing/smtp-server/index.ts';
import type { Delivered } from './ledger.ts';
import { type Habit, answerDelayMs, answersTo, isBusyOnce } from './people.ts';

export type Town = {
  connections: SmtpInbox[];
  deliveries(): Delivered[];
  /** Answers that are still on their way. */
  underWay(): number;
  close(): Promise<void>;
};

export type TownOptions = {
  senders: readonly { email: string; name: string }[];
  habits: ReadonlyMap<string, Habit>;
  seed: number;
  clock: Clock;
  /** How many times faster the calendar of `clock` runs. */
  speed: number;
  /** Called for each message that was accepted, with their number. */
  onDelivery(count: number): void;
};

type Letter = { to: Buffer; from: string; date: Date };

const ANSWERS: Partial<Record<Habit, (letter: Letter) => Buffer>> = {
  reply_first: (letter) => humanReply({ ...letter, text: 'Thanks, tell me more.' }),
  reply_second: (letter) => humanReply({ ...letter, text: 'Sorry, I missed your first mail. Next week?' }),
  out_of_office: (letter) => outOfOffice(letter),
  hard_bounce: ({ to, from, date }) => dsn({ original: to, recipient: from, date, status: '5.1.1', diagnostic: '550 5.1.1 User unknown' }),
  soft_bounce: ({ to, from, date }) => dsn({ original: to, recipient: from, date, status: '5.2.2', diagnostic: '552 5.2.2 Mailbox full' }),
};

/** Open the post office, with a mailbox for each sender. */
export async function openTown({ senders, habits, seed, clock, speed, onDelivery }: TownOptions): Promise<Town> {
  const acceptedAt: number[] = [];
  const answers = new Set<() => void>();
  const office = await openPostOffice({
    senders: senders.map((one) => one.email),
    now: clock.now,
    script: envelopeRules(habits, seed),
    behave: (recipient, nth, message) => {
      acceptedAt[message.sequence] = clock.now().getTime();
      onDelivery(message.sequence);
      const habit = habits.get(recipient) ?? 'silent';
      const write = ANSWERS[habit];
      if (!write || nth !== answersTo(habit)) return 'silent';
      const take = clock.after(answerDelayMs(habit, recipient, seed) / speed, () => {
        answers.delete(take);
        office.imap.deliver(message.login ?? '', 'INBOX', write({ to: message.raw, from: recipient, date: clock.now() }));
      });
      answers.add(take);
      // The office itself would answer in the same instant.
      return 'silent';
    },
  });
  return {
    connections: senders.map(({ email, name }) => office.connection(email, name)),
    deliveries: () => office.deliveries.map((one) => ({
      messageId: one.messageId, recipient: one.recipient, login: one.login, acceptedAt: acceptedAt[one.sequence]!,
    })), // prettier-ignore
    underWay: () => answers.size,
    async close() {
      for (const take of answers) take();
      await office.close();
    },
  };
}

/** One address takes no mail at all, a few servers are busy at the first try. */
function envelopeRules(habits: ReadonlyMap<string, Habit>, seed: number): Script {
  const tried = new Set<string>();
  return ({ phase, recipient }) => {
    if (phase !== 'rcpt' || recipient === undefined) return undefined;
    if (habits.get(recipient) === 'refused') return { kind: 'reply', code: 550, text: '5.1.1 No such user here' };
    if (!isBusyOnce(recipient, seed) || tried.has(recipient)) return undefined;
    tried.add(recipient);
    return { kind: 'reply', code: 451, text: '4.3.2 Busy, try again later' };
  };
}
