// The limit for webhooks: undici alone posts signed bodies of the same size, 20 in flight, and keeps nothing.
import { createHmac, randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Agent, request } from 'undici';
import { serve } from './child.ts';

const dispatcher = new Agent({ connections: 20 });
const secret = randomBytes(32);

async function post({ port, count, body }: { port: number; count: number; body: string }): Promise<{ seconds: number }> {
  const started = performance.now();
  let next = 0;
  const one = async () => {
    while (next < count) {
      const id = `evt_${next++}`;
      const seconds = Math.floor(Date.now() / 1000);
      const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
      const headers = { 'content-type': 'application/json', 'service-signature': `t=${seconds},v1=${signature}`, 'service-event-id': id };
      const answer = await request(`http://127.0.0.1:${port}/`, { method: 'POST', dispatcher, headers, body });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: 20 }, one));
  return { seconds: (performance.now() - started) / 1000 };
}

serve({ post }, () => dispatcher.close());
