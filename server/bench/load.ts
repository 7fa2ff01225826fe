// The load of the HTTP figures: one request after the other on kept connections, a fixed number of them in flight.
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { serve } from './child.ts';
import { addressOf, letterTo, nameOf } from './letter.ts';

export type Order = {
  url: string;
  key: string;
  count: number;
  inFlight: number;
  inboxIds: string[];
  /** Read these; without any, make sends. */ ids: string[];
};
type Done = { seconds: number; ids: string[] };

async function load({ url, key, count, inFlight, inboxIds, ids }: Order): Promise<Done> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const { subject, text } = letterTo('{{first_name}}');
  const made: string[] = [];
  const one = (nth: number) =>
    new Promise<void>((resolve, reject) => {
      const read = ids.length > 0;
      const inbox = inboxIds[nth % inboxIds.length];
      const to = { email: addressOf(nth), name: nameOf(nth) };
      const send = { inbox_id: inbox, to, subject, body_text: text, variables: { first_name: nameOf(nth) } };
      const body = read ? '' : JSON.stringify(send);
      const headers = {
        authorization: `Bearer ${key}`,
        ...(!read && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      };
      const path = read ? `/v1/sends/${ids[nth % ids.length]}` : '/v1/sends';
      const call = request(new URL(path, url), { method: read ? 'GET' : 'POST', agent, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part)).on('error', reject);
        answer.on('end', () => {
          const said = Buffer.concat(parts).toString();
          if (answer.statusCode !== (read ? 200 : 201)) return reject(new Error(`${path} answered ${answer.statusCode}: ${said}`));
          if (!read) made.push((JSON.parse(said) as { id: string }).id);
          resolve();
        });
      });
      call.on('error', reject).end(body);
    });
  let next = 0;
  const stream = async () => {
    while (next < count) await one(next++);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: inFlight }, stream));
  agent.destroy();
  return { seconds: (performance.now() - started) / 1000, ids: made };
}

serve({ load });
