import { Refusal } from '#platform/refusal.ts';
import { ok, preparedRoute, route } from '#web/route.ts';
import type { Ctx } from '#world/ctx.ts';
import { offsetOf } from '#world/workspace-time.ts';
import { advance } from './advance.ts';
import { AdvanceBody, TestClock, TestClockAdvance } from './wire.ts';

function requireTest({ mode }: Ctx): void {
  if (mode !== 'test') throw new Refusal('mode_mismatch', 'Only test mode has a clock that can be moved: use a test key.');
}

export const routes = [
  route(
    'GET /v1/test_clock',
    {
      summary: 'Retrieve the test clock.',
      description: 'The time of test mode. It runs like any clock, ahead of real time by as much as it was advanced. Test keys only.',
      scope: 'read',
      reply: { 200: TestClock },
      refusals: ['mode_mismatch'],
    },
    async (ctx) => {
      requireTest(ctx);
      return ok({ object: 'test_clock', now: ctx.now.toISOString(), advanced_seconds: (await offsetOf(ctx.db, ctx.workspaceId)) / 1_000 });
    },
  ),
  preparedRoute(
    'POST /v1/test_clock/advance',
    {
      summary: 'Advance the test clock.',
      description:
        'Moves the time of test mode `to` an instant or by `seconds`, and answers when everything that falls due on the way has happened, in ' +
        'order and each at its own time: sends, follow-ups, what the recipients of sandbox inboxes do, and webhooks with their retries. Each ' +
        'moment is over when your endpoints have answered; one that is slow is waited for 20 seconds in all, then it is told beside the call. A ' +
        'call that comes while another is under way waits for it. The clock never goes back; one call moves it by at most 400 days. Test keys only.',
      scope: 'write',
      body: AdvanceBody,
      reply: { 200: TestClockAdvance },
      refusals: ['mode_mismatch', 'service_unavailable'],
    },
    (ctx, { body, key }) => {
      requireTest(ctx);
      return advance(ctx, body, key);
    },
    async (_ctx, { prepared }) => ok(prepared),
  ),
];
