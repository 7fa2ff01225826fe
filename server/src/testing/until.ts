// Waiting in tests for what comes of itself, without a guess at how fast the machine is.
import assert from 'node:assert/strict';
import { sleep, systemClock } from '#platform/clock.ts';

const MOST_MS = 60_000;
const clock = systemClock();

type Patience = { /** How things stand, for whoever waited in vain. */ state?: () => Promise<unknown>; mostMs?: number };

/** Resolves as soon as it is so. The end is generous: it is there for what never comes, not for what comes late. */
export async function until(isSo: () => boolean | Promise<boolean>, { state, mostMs = MOST_MS }: Patience = {}): Promise<void> {
  for (const end = clock.monotonic() + mostMs; !(await isSo()); await sleep(clock, 5)) {
    if (clock.monotonic() > end) assert.fail(`waited ${mostMs / 1_000} s in vain${state ? `: ${JSON.stringify(await state())}` : ''}`);
  }
}

/**
 * Lets the event loop look at its sockets many times, so that what was written to them by now has been read. One pause would not do: after a
 * standstill its timer is served first, and the sockets when the test has gone on already.
 */
export async function socketsRead(): Promise<void> {
  for (let i = 0; i < 20; i++) await sleep(clock, 2);
}
