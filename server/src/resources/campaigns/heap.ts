/** A queue whose least item comes first (a binary heap). `before` says whether one item comes before another. */
export type Heap<T> = { readonly size: number; first(): T | undefined; push(item: T): void; pop(): T | undefined };

/** An empty one. */
export function heapOf<T>(before: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = [];
  const swap = (a: number, b: number) => ([items[a], items[b]] = [items[b]!, items[a]!]);
  const rise = (from: number) => {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!before(items[at]!, items[parent]!)) break;
      swap(at, parent);
      at = parent;
    }
  };
  const sink = () => {
    for (let at = 0; ;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) if (child < items.length && before(items[child]!, items[least]!)) least = child;
      if (least === at) return;
      swap(at, least);
      at = least;
    }
  };
  return {
    get size() {
      return items.length;
    },
    first: () => items[0],
    push(item) {
      items.push(item);
      rise(items.length - 1);
    },
    pop() {
      const first = items[0];
      const last = items.pop();
      if (items.length > 0) {
        items[0] = last!;
        sink();
      }
      return first;
    },
  };
}
