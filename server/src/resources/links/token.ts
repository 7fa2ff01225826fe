// What stands in the address of a link: whose send it is about, signed. Nothing is looked up before the signature holds.
import { bytesOfId, idOfBytes } from '#platform/ids.ts';
import type { Mode, World } from '#world/ctx.ts';

const PURPOSES = ['unsubscribe', 'open', 'click'] as const;
type Purpose = (typeof PURPOSES)[number];
/** `place` is that of a link among those of its mail; 0 otherwise. */
export type Signed = { workspaceId: string; mode: Mode; sendId: string; place: number };

const PATHS: Record<Purpose, (token: string) => string> = {
  unsubscribe: (token) => `/u/${token}`,
  open: (token) => `/o/${token}.gif`,
  click: (token) => `/c/${token}`,
};
const SIGNED_BYTES = 35;
/** 51 bytes: no character of the token has bits that mean nothing, so that one token has one spelling. */
const TOKEN = /^[\w-]{68}$/;

/** The address of a link in a mail. */
export function linkTo({ config, box }: Pick<World, 'config' | 'box'>, purpose: Purpose, about: Signed): string {
  const bytes = Buffer.alloc(SIGNED_BYTES);
  bytes[0] = headOf(purpose, about.mode);
  bytesOfId(about.workspaceId).copy(bytes, 1);
  bytesOfId(about.sendId).copy(bytes, 17);
  bytes.writeUInt16BE(about.place, 33);
  const token = Buffer.concat([bytes, box.sign(bytes, 'link')]).toString('base64url');
  const base = config.TRACKING_URL ?? config.BASE_URL ?? `http://${config.HOST}:${config.PORT}`;
  return base.replace(/\/+$/, '') + PATHS[purpose](token);
}

/** What a token says, if we have signed it for this purpose; else null, whatever is wrong with it. */
export function tokenIn({ box }: Pick<World, 'box'>, purpose: Purpose, text: string): Signed | null {
  if (!TOKEN.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  const said = bytes.subarray(0, SIGNED_BYTES);
  if (!box.isSigned(said, 'link', bytes.subarray(SIGNED_BYTES))) return null;
  const mode = (['live', 'test'] as const).find((one) => headOf(purpose, one) === said[0]);
  if (!mode) return null;
  return {
    workspaceId: idOfBytes('wsp', said.subarray(1, 17)),
    mode,
    sendId: idOfBytes('snd', said.subarray(17, 33)),
    place: said.readUInt16BE(33),
  };
}

const VERSION = 1;
const headOf = (purpose: Purpose, mode: Mode) => (VERSION << 4) | (PURPOSES.indexOf(purpose) << 1) | (mode === 'live' ? 1 : 0);
