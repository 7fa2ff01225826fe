// 64 callers at once, each making one contact after the other and waiting for its commit: the work behind POST /v1/contacts, without HTTP.
import { performance } from 'node:perf_hooks';
import { routes } from '#resources/contacts/routes.ts';
import { performer } from '#web/perform.ts';
import { type World, actingFor } from '#world/ctx.ts';
import { addressOf } from './letter.ts';

type Order = { count: number; callers: number };

const route = routes.find((one) => one.method === 'POST' && one.path === '/v1/contacts')!;
let people = 0;

/** Contacts of `workspaceId`, new ones each time. */
export async function creates(world: World, workspaceId: string, { count, callers }: Order): Promise<{ seconds: number }> {
  const perform = performer(world, route, '');
  const end = people + count;
  const one = async () => {
    while (people < end) {
      const body = { email: `creates-${addressOf(people++)}`, attributes: { company: 'Example' } };
      const ctx = actingFor(world, workspaceId, 'live');
      const reply = await perform({ ctx, input: { params: {}, query: {}, body } as never, requestId: 'req_bench', claim: undefined });
      if (reply.status !== 201) throw new Error(`A contact was answered with ${reply.status}.`);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: callers }, one));
  return { seconds: (performance.now() - started) / 1000 };
}
