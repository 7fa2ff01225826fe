// What people see behind the link. GET shows, POST does: programs that follow links change nothing (RFC 8058).
import { emailKey } from '#platform/email-address.ts';
import { tokenIn } from '#resources/links/index.ts';
import { sendById } from '#resources/sends/index.ts';
import { suppressedAmong } from '#resources/suppressions/index.ts';
import { type PublicRoute, pageOf } from '#web/public.ts';
import { actingAtItsTime } from '#world/workspace-time.ts';
import { unsubscribe } from './unsubscribe.ts';

const GONE = pageOf({
  status: 404,
  title: 'This link does not work',
  text: ['It was not copied whole, or it is not one of ours. Nothing has been changed.', 'You can also answer the mail with the word “unsubscribe”.'],
});

const DONE = (email: string) =>
  pageOf({
    status: 200,
    title: 'You are unsubscribed',
    text: [`This sender will not write to ${masked(email)} again. You can close this page.`],
  });

const ASK = (email: string) =>
  pageOf({
    status: 200,
    title: 'Unsubscribe?',
    text: [`Press the button, and this sender will not write to ${masked(email)} again. Until then nothing changes.`],
    button: 'Unsubscribe',
  });

/** A mail may be passed on: enough of the address to know one's own. */
function masked(email: string): string {
  const [first = ''] = email;
  return `${first}•••${email.slice(email.lastIndexOf('@'))}`;
}

export const publicRoutes: PublicRoute[] = [
  {
    methods: ['GET', 'POST'],
    path: '/u/{token}',
    otherwise: GONE,
    async answer(world, { method, token }) {
      const signed = tokenIn(world, 'unsubscribe', token);
      if (!signed) return null;
      const ctx = await actingAtItsTime(world, signed.workspaceId, signed.mode);
      const send = await sendById(ctx, signed.sendId);
      if (!send) return null;
      if (method === 'POST') {
        await unsubscribe(ctx, send);
        return DONE(send.to_email);
      }
      const isDone = (await suppressedAmong(ctx, [emailKey(send.to_email)])).size > 0;
      return isDone ? DONE(send.to_email) : ASK(send.to_email);
    },
  },
];
