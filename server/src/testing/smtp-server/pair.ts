// Our client and a scripted server on this machine, wired as in life: real sockets, real TLS, short deadlines.
import type { TestContext } from 'node:test';
import { type SmtpDeadlines, smtpConnector } from '#mail/smtp/index.ts';
import type { Broken, Credentials, MailServer, Refused, SmtpSession } from '#mail/mail.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import { egress } from '#platform/egress.ts';
import { testCa } from '../certs/certs.ts';
import { type SmtpServer, type SmtpServerOptions, startSmtpServer } from './index.ts';

export const ANN = { username: 'ann@sender.test', password: 'correct horse 42' };

export type PairOptions = Partial<SmtpServerOptions> & {
  credentials?: Credentials;
  deadlines?: Partial<SmtpDeadlines>;
  /** By which the client measures its deadlines. */
  clientClock?: Clock;
  host?: string;
  /** Authorities that the client trusts; the test authority by default. */
  trusted?: string[];
};

export type Pair = {
  server: SmtpServer;
  /** Connect as the options say; what comes back may be anything. */
  connect(): Promise<SmtpSession | Refused | Broken>;
  /** Connect, and insist on a session. */
  session(): Promise<SmtpSession>;
};

/** Start a pair that ends with the test. */
export async function smtpPair(t: TestContext, options: PairOptions = {}): Promise<Pair> {
  const { credentials = ANN, deadlines = {}, clientClock: clock = systemClock(), host = 'localhost', trusted = [testCa], ...rest } = options;
  const server = await startSmtpServer({ security: 'starttls', users: [ANN], ...rest });
  t.after(() => server.close());
  const open = smtpConnector({ egress: egress({ allowPrivate: true, extraCa: trusted }, clock), clock, clientName: 'client.test', deadlines });
  const target: MailServer = { host, port: server.port, security: rest.security ?? 'starttls', credentials };
  const connect = () => open(target);
  const session = async () => {
    const answer = await connect();
    if ('kind' in answer) throw new Error(`No session: ${JSON.stringify(answer)}`);
    t.after(() => answer.close());
    return answer;
  };
  return { server, connect, session };
}
