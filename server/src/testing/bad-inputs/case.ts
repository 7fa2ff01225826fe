// A call that must not do harm, and what it is answered. The ids are those of the list in list.ts.
import type { RefusalCode } from '#platform/refusal.ts';

/** What the cases may speak of: things that are there, in a house of their own. */
export type Scene = {
  keys: { test: string; live: string; read: string; write: string; foreign: string };
  ids: {
    contact: string;
    foreignContact: string;
    deletedContact: string;
    audience: string;
    /** Of a contact that was deleted since. */
    cursor: string;
    inbox: string;
    sequence: string;
    event: string;
    key: string;
  };
};

export type BadCall = {
  id: string;
  /** `POST /v1/contacts?x=y` */
  line: string;
  body?: unknown;
  /** The body as bytes, where JSON would not do. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
  /** Default: the admin key of test mode. `null` sends no Authorization. */
  key?: string | null;
  /** Status, and of a refusal its code and, where one field is at fault, its name. */
  expect: readonly [status: number, code?: RefusalCode, param?: string];
};

/** The cases of one family. */
export type Family = (scene: Scene) => BadCall[];

/** Several calls of one id that end alike. */
export const alike = (id: string, expect: BadCall['expect'], calls: readonly Omit<BadCall, 'id' | 'expect'>[]): BadCall[] =>
  calls.map((call) => ({ id, expect, ...call }));
