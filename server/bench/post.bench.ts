// The load: one POST /v1/sends for each send, over kept connections, a fixed number in flight.
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { serve } from './child.ts';
import { addressOf, letterTo, nameOf } from './letter.ts';

export type Load = { url: string; key: string; inboxIds: string[]; count: number; inFlight: number; keyed: boolean; run: string };

async function post(load: Load): Promise<{ seconds: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.inFlight });
  const target = new URL('/v1/sends', load.url);
  const { subject, text, html } = letterTo('{{first_name}}');
  const one = (nth: number) =>
    new Promise<void>((resolve, reject) => {
      const body = JSON.stringify({
        inbox_id: load.inboxIds[nth % load.inboxIds.length], to: { email: addressOf(nth), name: nameOf(nth) },
        subject, body_text: text, body_html: html, variables: { first_name: nameOf(nth) },
      }); // prettier-ignore
      const headers = {
        authorization: `Bearer ${load.key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(load.keyed && { 'idempotency-key': `${load.run}-${nth}` }),
      };
      const call = request(target, { method: 'POST', agent, headers }, (answer) => {
        answer.resume().on('error', reject);
        answer.on('end', () => (answer.statusCode === 201 ? resolve() : reject(new Error(`The API answered ${answer.statusCode}.`))));
      });
      call.on('error', reject).end(body);
    });
  let next = 0;
  const stream = async () => {
    while (next < load.count) await one(next++);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: load.inFlight }, stream));
  agent.destroy();
  return { seconds: (performance.now() - started) / 1000 };
}

serve({ post });
