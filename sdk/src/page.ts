import type { Answered, LastResponse, Query } from './transport.ts';

/** What every list takes. `starting_after` and `ending_before` are cursors of an earlier page, or ids of listed objects. */
export type PageQuery = { limit?: number | undefined; starting_after?: string | undefined; ending_before?: string | undefined };

/** The query of a list with filters `F`, each of which may be left out. */
export type ListQuery<F = unknown> = PageQuery & { [K in keyof F]?: F[K] | undefined };

export type ListEnvelope<T> = { object: 'list'; data: T[]; has_more: boolean; next_cursor: string | null; prev_cursor?: string | null };
type Load<T> = (query: Query) => Promise<Answered<ListEnvelope<T>>>;

/**
 * One page of a list, newest first. Iterating it gives its items and those of all pages after it; when it was asked for with
 * `ending_before`, its items from the last to the first and then those of all pages before it, that is from older to newer.
 */
export class Page<T> implements AsyncIterable<T> {
  readonly object = 'list';
  readonly data: T[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
  readonly prev_cursor: string | null;
  declare readonly lastResponse: LastResponse;
  readonly #load: Load<T>;
  readonly #query: Query;

  constructor(envelope: Answered<ListEnvelope<T>>, query: Query, load: Load<T>) {
    this.data = envelope.data;
    this.has_more = envelope.has_more;
    this.next_cursor = envelope.next_cursor;
    this.prev_cursor = envelope.prev_cursor ?? null;
    Object.defineProperty(this, 'lastResponse', { value: envelope.lastResponse });
    this.#query = query;
    this.#load = load;
  }

  /** The page of older items, or null after the last. */
  async nextPage(): Promise<Page<T> | null> {
    return this.next_cursor === null ? null : this.#turn({ starting_after: this.next_cursor, ending_before: undefined });
  }

  /** The page of newer items, or null before the first. */
  async prevPage(): Promise<Page<T> | null> {
    return this.prev_cursor === null ? null : this.#turn({ starting_after: undefined, ending_before: this.prev_cursor });
  }

  [Symbol.asyncIterator](): AsyncGenerator<T> {
    return walk(this, this.#query['ending_before'] !== undefined);
  }

  async #turn(cursors: Query): Promise<Page<T>> {
    const query = { ...this.#query, ...cursors };
    return new Page(await this.#load(query), query, this.#load);
  }
}

async function* walk<T>(start: Page<T>, isBackwards: boolean): AsyncGenerator<T> {
  let page: Page<T> | null = start;
  while (page) {
    yield* isBackwards ? page.data.toReversed() : page.data;
    page = isBackwards ? await page.prevPage() : await page.nextPage();
  }
}

/** A list call under way: awaited it is the first page, iterated it is every item. */
export type PageRequest<T> = Promise<Page<T>> &
  AsyncIterable<T> & {
    /** All items in one array, or the first `limit` of them. */
    toArray(options?: { limit?: number }): Promise<T[]>;
  };

/** Starts a list call. */
export function pages<T>(query: Query, load: Load<T>): PageRequest<T> {
  const first = load(query).then((envelope) => new Page(envelope, query, load));
  async function* items() {
    yield* await first;
  }
  async function toArray({ limit = Infinity }: { limit?: number } = {}) {
    const found: T[] = [];
    if (limit <= 0) return found;
    for await (const item of items()) {
      if (found.push(item) >= limit) break;
    }
    return found;
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items, toArray });
}
