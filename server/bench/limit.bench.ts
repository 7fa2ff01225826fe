// The limit that the others are held against: nodemailer alone, a pool of five connections, no database.
import { performance } from 'node:perf_hooks';
import { createTransport } from 'nodemailer';
import { testCa } from '#testing/certs/certs.ts';
import { serve } from './child.ts';
import { USER, addressOf, letterTo, nameOf } from './letter.ts';

type Transport = ReturnType<typeof createTransport>;
let transport: Transport | undefined;

async function sendAll(port: number, count: number): Promise<{ seconds: number }> {
  transport ??= createTransport({
    pool: true, maxConnections: 5, maxMessages: Infinity, host: 'localhost', port, secure: false, requireTLS: true,
    auth: { user: USER.username, pass: USER.password }, tls: { ca: [testCa] },
  }); // prettier-ignore
  const pool = transport;
  const started = performance.now();
  const one = async (nth: number) => {
    const { subject, text, html } = letterTo(nameOf(nth));
    await pool.sendMail({
      from: { name: 'Ann Sender', address: 'ann@sender.test' },
      to: { name: nameOf(nth), address: addressOf(nth) },
      subject,
      text,
      html,
    });
  };
  await Promise.all(Array.from({ length: count }, (_, nth) => one(nth)));
  return { seconds: (performance.now() - started) / 1000 };
}

serve({ send: ({ port, count }: { port: number; count: number }) => sendAll(port, count) }, async () => transport?.close());
