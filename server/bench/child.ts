// Processes of a benchmark: each contender and the sink have one of their own, and take orders over the channel that fork opens.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

type Order = { nth: number; verb: string; given: unknown };
type Answer = { nth: number; result: unknown; fault: string | null };

export type Child = {
  pid: number;
  /** Have it carry out an order; rejects with the words of the error that it met there. */
  ask<Result>(verb: string, given?: unknown): Promise<Result>;
  /** Let it end by itself; rejects when it ended otherwise. */
  stop(): Promise<void>;
};

/** Start `file` of this folder with `env` on top of our own environment. Profiles go where NODE_OPTIONS of `env` says. */
export async function begin(file: string, env: Record<string, string> = {}): Promise<Child> {
  const child = fork(join(import.meta.dirname, file), { env: { ...process.env, ...env } });
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  child.on('message', ({ nth, result, fault }: Answer) => {
    const one = waiting.get(nth);
    waiting.delete(nth);
    if (fault === null) one?.resolve(result);
    else one?.reject(new Error(`${file}: ${fault}`));
  });
  child.on('exit', (code, signal) => {
    for (const one of waiting.values()) one.reject(new Error(`${file} ended too early (${code ?? signal}).`));
  });
  let orders = 0;
  const ask = <Result>(verb: string, given: unknown = null) =>
    new Promise<Result>((resolve, reject) => {
      waiting.set(++orders, { resolve: resolve as (result: unknown) => void, reject });
      child.send({ nth: orders, verb, given } satisfies Order);
    });
  await ask('ready');
  return { pid: child.pid!, ask, stop: () => ended(file, child) };
}

async function ended(file: string, child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.disconnect();
  const [code, signal] = (await exit) as [number | null, string | null];
  if (code !== 0) throw new Error(`${file} ended with ${code ?? signal}.`);
}

/** The other side: carry out orders by their verbs until the parent hangs up, then `close`. */
export function serve(verbs: Record<string, (given: never) => unknown>, close: () => Promise<void> = async () => {}): void {
  const all: Record<string, (given: never) => unknown> = { ready: () => null, ...verbs };
  process.on('message', async ({ nth, verb, given }: Order) => {
    const say = (answer: Omit<Answer, 'nth'>) => process.send?.({ nth, ...answer });
    try {
      const carryOut = all[verb];
      if (!carryOut) throw new Error(`There is no verb ${verb}.`);
      say({ result: (await carryOut(given as never)) ?? null, fault: null });
    } catch (error) {
      say({ result: null, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  // A signal of the terminal reaches the parent too, which then hangs up.
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => {
    void close().then(() => process.exit(0));
  });
}
