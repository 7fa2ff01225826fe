// The transport of test mode: there is no socket in it.
import type { Accepted, HeldMessage, Refused } from '#mail/mail.ts';
import { isRefused } from '#resources/sandbox-reactions/index.ts';
import type { Send } from '#resources/sends/index.ts';
import type { World } from '#world/ctx.ts';

export const SANDBOX_ACCEPTED: Accepted = { kind: 'accepted', reply: { code: 250, enhanced: '2.0.0', text: 'Accepted by the sandbox.' } };

const REFUSED: Refused = {
  kind: 'refused',
  phase: 'rcpt',
  permanent: true,
  reply: { code: 550, enhanced: '5.7.1', text: 'The sandbox refuses mail to this address, as its name asks.' },
};

const HELD: HeldMessage = { kind: 'held', release: async () => SANDBOX_ACCEPTED, abort: () => undefined };

/** Everybody's mail is accepted, but that to the scripted recipient `fail`. */
export const sandboxOffer = (world: World, send: Pick<Send, 'to_email'>): HeldMessage | Refused =>
  isRefused(send.to_email, world.config.SANDBOX_DOMAIN) ? REFUSED : HELD;
