import { Postrider } from '../src/index.ts';
import type { ClientOptions, FetchInit } from '../src/index.ts';

export type Call = FetchInit & { url: URL };
type Script = (call: Call, index: number) => Response | Promise<Response>;

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) => Response.json(body, { status, headers });

export const refusal = (status: number, type: string, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  json({ error: { type, code, message: `It is ${code}.`, ...more } }, status, headers);

/** A client whose calls are answered by `script`, and that waits without waiting. */
export function fakeClient(script: Script, options: ClientOptions = {}) {
  const calls: Call[] = [];
  const waits: number[] = [];
  const client = new Postrider({
    apiKey: 'svc_test_key',
    baseUrl: 'https://postrider.test/',
    fetch: async (url, init) => {
      const call = { ...init, url: new URL(url) };
      calls.push(call);
      return script(call, calls.length - 1);
    },
    sleep: async (ms) => {
      waits.push(ms);
    },
    ...options,
  });
  return { client, calls, waits };
}
