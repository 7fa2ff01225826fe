import type { z } from 'zod';
import type { Refusal, RefusalCode } from '#platform/refusal.ts';
import type { Ctx, Scope } from '#world/ctx.ts';

type Schemas = { params?: z.ZodType; query?: z.ZodType; body?: z.ZodType };
type InputOf<S extends Schemas> = { [K in keyof S & keyof Schemas]: S[K] extends z.ZodType ? z.output<S[K]> : never };
type Status = 200 | 201 | 202;
type Replies = Partial<Record<Status, z.ZodType>>;
/** What a handler answers. The `id` of a body that holds a secret names the object when its key is used again. */
export type ReplyOf<R extends Replies> = { [S in keyof R]: R[S] extends z.ZodType ? { status: S; body: z.input<R[S]> } : never }[keyof R];

/** A file that came with the request: multipart `file`, a raw text/csv body, or `csv` in JSON; `fields` holds whatever came beside it. */
export type Upload = { file: Buffer; fields: Record<string, string> };

export type Spec<R extends Replies = Replies> = Schemas & {
  /** One sentence for the reference. */
  summary: string;
  /** Whatever else a caller must know, in Markdown. */
  description?: string;
  scope: Scope;
  reply: R;
  /** The operation's name in the OpenAPI document, where method and path do not tell it well (see operation-id.ts). */
  operationId?: string;
  /** Always needs confirm=true. Handlers that need it only at times ask `requireConfirmation(ctx)` and set this to 'at times'. */
  confirm?: true | 'at times';
  /** Refusals besides those that every route may give. */
  refusals?: readonly RefusalCode[];
  /** The body is a CSV upload (multipart/form-data, text/csv or JSON); the handler finds it in `input.upload`. */
  upload?: true;
  /** How large the body may be, where 1 MiB is not enough. */
  maxBodyBytes?: number;
  /** The answer holds a secret that is shown once: a replay of its idempotency key answers 409 idempotency_replay_unavailable. */
  secret?: true;
};

/** `key` is the idempotency key, for work before the transaction that is done once. */
export type Input = { params: unknown; query: unknown; body: unknown; upload: Upload | undefined; prepared: unknown; key: string | undefined };
export type Answer = { status: number; body: unknown };
export type Call = { ctx: Ctx; input: Input };

export type Route = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  spec: Spec;
  /** Work that must be done before the transaction opens, such as talking to a mail server. */
  prepare?: (ctx: Ctx, input: Input) => Promise<unknown>;
  /** GET runs on the pool; everything else inside the transaction that also keeps its idempotency key. */
  handle?: (ctx: Ctx, input: Input) => Promise<Answer>;
  /** Instead of `handle`: calls that arrive together share one transaction, answer by answer in order. */
  handleAll?: (calls: readonly Call[]) => Promise<(Answer | Refusal)[]>;
  /** With `handleAll`: calls that get a transaction of their own all the same. */
  isApart?: (input: Input) => boolean;
};

type Line = `${Route['method']} /v1/${string}`;
const split = (line: Line) => {
  const [method, path] = line.split(' ') as [Route['method'], string];
  return { method, path };
};

/** A route is data: web/app.ts mounts it, the OpenAPI document prints it, the coverage lists count it. */
export function route<const R extends Replies, const S extends Schemas>(
  line: Line,
  spec: Spec<R> & S,
  handle: (ctx: Ctx, input: InputOf<S> & { upload: Upload | undefined }) => Promise<ReplyOf<R>>,
): Route {
  return { ...split(line), spec, handle: handle as NonNullable<Route['handle']> };
}

/** A route with work before its transaction (see Route.prepare); `handle` finds the outcome in `input.prepared`. */
export function preparedRoute<const R extends Replies, const S extends Schemas, P>(
  line: Line,
  spec: Spec<R> & S,
  prepare: (ctx: Ctx, input: InputOf<S> & { upload: Upload | undefined; key: string | undefined }) => Promise<P>,
  handle: (ctx: Ctx, input: InputOf<S> & { upload: Upload | undefined; prepared: P }) => Promise<ReplyOf<R>>,
): Route {
  return { ...split(line), spec, prepare: prepare as NonNullable<Route['prepare']>, handle: handle as NonNullable<Route['handle']> };
}

/** A route whose concurrent calls are answered out of one transaction (see Route.handleAll), but for those that are `isApart`. */
export function gatheredRoute<const R extends Replies, const S extends Schemas>(
  line: Line,
  spec: Spec<R> & S,
  handleAll: (calls: readonly { ctx: Ctx; input: InputOf<S> }[]) => Promise<(ReplyOf<R> | Refusal)[]>,
  isApart: (input: InputOf<S>) => boolean = () => false,
): Route {
  return { ...split(line), spec, handleAll: handleAll as NonNullable<Route['handleAll']>, isApart: isApart as NonNullable<Route['isApart']> };
}

export const ok = <T>(body: T) => ({ status: 200 as const, body });
export const created = <T>(body: T) => ({ status: 201 as const, body });
