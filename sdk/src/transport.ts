import { ConnectionError, PostriderError, errorOf, isObject, unexpectedAnswer } from './errors.ts';
import { MAX_RETRY_AFTER_MS, isRetryable, retryDelayMs, sleep } from './retry.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
export type FetchInit = {
  method: Method;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
  redirect: 'manual';
};
/** As much of `fetch` as the client needs; the global one fits. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

export type ClientOptions = {
  /** Default: the environment variable POSTRIDER_API_KEY where there is one. Without a key the request goes out without Authorization. */
  apiKey?: string | undefined;
  /** Default: http://127.0.0.1:3000 */
  baseUrl?: string | undefined;
  /** How often a failed call is tried again. Default: 2 */
  maxRetries?: number | undefined;
  /** How long one attempt may take, body included; 0 means as long as it takes. Default: 60 000 */
  timeoutMs?: number | undefined;
  fetch?: Fetch | undefined;
  /** Waits between attempts; resolves early when the signal aborts. */
  sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** Makes the idempotency key of each mutation. Default: a random UUID. */
  idempotencyKey?: (() => string) | undefined;
};

/** What any single call may set for itself. */
export type CallOptions = {
  headers?: Record<string, string> | undefined;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
};

export type Query = Record<string, string | number | boolean | null | undefined>;
export type RequestOptions = CallOptions & { query?: Query | undefined; body?: unknown; form?: FormData | undefined };

export type LastResponse = { readonly status: number; readonly headers: Headers; readonly requestId: string | undefined };
/** A result with the answer that brought it. The property is not enumerable: it is neither compared nor printed. */
export type Answered<T> = T & { readonly lastResponse: LastResponse };

type Call = { url: string; init: Omit<FetchInit, 'signal'>; timeoutMs: number; signal: AbortSignal | undefined };

/** Carries calls to the service: keys, retries, time limits, errors. It knows no resource. */
export class Transport {
  readonly #apiKey: string | undefined;
  readonly #baseUrl: string;
  readonly #maxRetries: number;
  readonly #timeoutMs: number;
  readonly #fetch: Fetch;
  readonly #sleep: NonNullable<ClientOptions['sleep']>;
  readonly #idempotencyKey: () => string;

  constructor(options: ClientOptions = {}) {
    this.#apiKey = checkedKey(options.apiKey ?? keyOfEnvironment());
    this.#baseUrl = checkedUrl(options.baseUrl ?? 'http://127.0.0.1:3000');
    this.#maxRetries = options.maxRetries ?? 2;
    this.#timeoutMs = options.timeoutMs ?? 60_000;
    // Browsers refuse to run fetch as the method of another object.
    this.#fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#sleep = options.sleep ?? sleep;
    this.#idempotencyKey = options.idempotencyKey ?? (() => globalThis.crypto.randomUUID());
  }

  /**
   * One call, tried again where that can help: on connection failures, 409 idempotency_in_progress, 429 and 5xx. Every attempt of
   * a mutation carries the same Idempotency-Key and the same bytes, so that it takes effect once. Rejects with a PostriderError, or with
   * the reason of `signal`.
   */
  async request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<Answered<T>> {
    const { signal, maxRetries = this.#maxRetries } = options;
    const call = await this.#prepare(method, path, options);
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      const outcome = await this.#attempt(call);
      if (!(outcome instanceof PostriderError)) return outcome as Answered<T>;
      const delayMs = retryDelayMs(attempt, outcome.headers);
      if (attempt >= maxRetries || !isRetryable(outcome) || delayMs > MAX_RETRY_AFTER_MS) throw outcome;
      await this.#sleep(delayMs, signal);
    }
  }

  async #prepare(method: Method, path: string, { query, body, form, headers, idempotencyKey, signal, timeoutMs }: RequestOptions): Promise<Call> {
    const sent: Record<string, string> = { accept: 'application/json' };
    if (this.#apiKey !== undefined) sent['authorization'] = `Bearer ${this.#apiKey}`;
    const init: Call['init'] = { method, headers: sent, redirect: 'manual' };
    if (form) {
      // Packed once: a form that is packed anew gets another boundary, and other bytes under the same idempotency key are refused.
      const packed = new Response(form);
      sent['content-type'] = packed.headers.get('content-type') ?? 'multipart/form-data';
      init.body = new Uint8Array(await packed.arrayBuffer());
    } else if (body !== undefined) {
      sent['content-type'] = 'application/json';
      init.body = JSON.stringify(body);
    }
    if (method !== 'GET') sent['idempotency-key'] = idempotencyKey ?? this.#idempotencyKey();
    for (const [name, value] of Object.entries(headers ?? {})) sent[name.toLowerCase()] = value;
    return { url: this.#baseUrl + path + searchOf(query), init, timeoutMs: timeoutMs ?? this.#timeoutMs, signal };
  }

  /** One attempt: the result, or the error that it came to. Throws only the caller's own reason to abort. */
  async #attempt({ url, init, timeoutMs, signal }: Call): Promise<object> {
    const limit = new AbortController();
    const abort = () => limit.abort(signal?.reason);
    signal?.addEventListener('abort', abort);
    let timedOut = false;
    const expire = () => {
      timedOut = true;
      limit.abort();
    };
    const timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : undefined;
    try {
      const response = await this.#fetch(url, { ...init, signal: limit.signal });
      return read(response.status, response.headers, await response.text());
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      return noAnswer(init.method, url, timedOut ? timeoutMs : undefined, cause);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }
}

function read(status: number, headers: Headers, text: string): object {
  const body = parsed(text);
  if (status < 200 || status > 299) return errorOf(status, headers, body);
  if (!isObject(body)) return unexpectedAnswer(status, headers);
  const lastResponse: LastResponse = { status, headers, requestId: headers.get('request-id') ?? undefined };
  return Object.defineProperty(body, 'lastResponse', { value: lastResponse });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON is not an object either: `read` says what that means.
    return undefined;
  }
}

function noAnswer(method: string, url: string, afterMs: number | undefined, cause: unknown): ConnectionError {
  const [code, what] = afterMs === undefined ? ['connection_failed', 'no answer'] : ['timeout', `no answer within ${afterMs} ms`];
  const message = `${method} ${url.split('?')[0]}: ${what}.`;
  return new ConnectionError({ type: 'connection_error', code, message }, 0, new Headers(), { cause });
}

function searchOf(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.append(name, String(value));
  }
  const text = search.toString();
  return text && `?${text}`;
}

function keyOfEnvironment(): string | undefined {
  const { process } = globalThis as unknown as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.['POSTRIDER_API_KEY'];
}

/** A key that no header can carry would fail inside fetch, with the key in the runtime's message. */
function checkedKey(key: string | undefined): string | undefined {
  const trimmed = key?.trim();
  if (trimmed && !/^[\x21-\x7e]+$/.test(trimmed)) throw new TypeError('apiKey holds characters that no API key has.');
  return trimmed || undefined;
}

function checkedUrl(url: string): string {
  const { protocol } = new URL(url);
  if (!/^https?:$/.test(protocol)) throw new TypeError(`baseUrl must be http or https, not ${protocol}`);
  return url.replace(/\/+$/, '');
}
