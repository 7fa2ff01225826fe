// The sending server that all contenders write to: the tests' scripted one, in a process of its own, which counts and keeps no bodies.
import { startSmtpServer } from '#testing/smtp-server/index.ts';
import { serve } from './child.ts';
import { USER } from './letter.ts';

export type Ledger = { messages: number; distinct: number };

const server = await startSmtpServer({ security: 'starttls', users: [USER], keepRaw: false });

/** What was accepted since the last question. */
function take(): Ledger {
  const taken = server.ledger.splice(0);
  return { messages: taken.length, distinct: new Set(taken.map((one) => one.messageId)).size };
}

serve({ port: () => server.port, take }, () => server.close());
