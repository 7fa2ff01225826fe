import type { FastifyInstance } from 'fastify';
import { Postrider } from '@postrider/sdk';
import { inTransaction } from '#store/db.ts';
import { createApiKey } from '#resources/api-keys/index.ts';
import { createWorkspace } from '#resources/workspaces/index.ts';
import { type Ctx, type Mode, type Scope, type World, actingFor } from '#world/ctx.ts';
import type { Watch } from '../watch.ts';
import { HOUSE_URL } from './world.ts';

export type Who = { scope?: Scope; mode?: Mode; workspace?: string; autoConfirm?: boolean };

/** Those who call the house: workspaces by a short name, made when first spoken of, and keys of every kind. */
export function callersOf(world: World, app: FastifyInstance, seed: number, watch: Watch) {
  const workspaces = new Map<string, string>();
  let keys = 0;
  let calls = 0;

  const workspace = async (name: string) => {
    const known = workspaces.get(name);
    if (known) return known;
    const { workspaceId } = await createWorkspace(world, { name });
    workspaces.set(name, workspaceId);
    return workspaceId;
  };

  const secretFor = async ({ scope = 'admin', mode = 'test', workspace: name = 'one', autoConfirm = false }: Who = {}) => {
    const wanted = { name: `key ${++keys}`, scope, mode, auto_confirm: autoConfirm };
    const acting = actingFor(world, await workspace(name), mode);
    return (await inTransaction(acting, (inside) => createApiKey(inside, wanted))).secret;
  };

  return {
    secretFor,
    /** The id of a workspace by its short name. */
    workspace,
    /** The SDK with a key of that kind. Calls are neither repeated nor timed: a test sees each answer as it is. */
    api: async (who: Who = {}) =>
      new Postrider({
        apiKey: await secretFor(who),
        baseUrl: HOUSE_URL,
        fetch: (url, init) => {
          watch.calledBySdk(init.method, url);
          return inject(app, url, init);
        },
        timeoutMs: 0,
        maxRetries: 0,
        sleep: async () => {},
        idempotencyKey: () => `call-${seed}-${++calls}`,
      }),
    /** To call verbs directly. */
    ctx: async ({ mode = 'test', workspace: name = 'one' }: Pick<Who, 'mode' | 'workspace'> = {}): Promise<Ctx> =>
      actingFor(world, await workspace(name), mode),
  };
}

type Init = { method: string; headers: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> };

/** `fetch` without a network. */
async function inject(app: FastifyInstance, url: string, { method, headers, body }: Init): Promise<Response> {
  const answer = await app.inject({
    method: method as 'GET',
    url: url.replace(HOUSE_URL, ''),
    headers,
    ...(body !== undefined && { payload: typeof body === 'string' ? body : Buffer.from(body) }),
  });
  const named = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
  return new Response(answer.rawPayload.length ? new Uint8Array(answer.rawPayload) : null, { status: answer.statusCode, headers: named });
}
