// Calls that carry many rows: each stands or falls alone.
import { z } from 'zod';
import { Refusal } from '#platform/refusal.ts';
import { ERROR_TYPES, rowError } from './problems.ts';
import { bodyOf } from './validate.ts';

export const RowProblem = z
  .object({ type: z.enum(ERROR_TYPES), code: z.string(), message: z.string() })
  .meta({ id: 'RowProblem', description: 'Why a row was refused.' });

/** 1 to 1,000 rows, not yet read: see readRows. */
export const BatchRows = z.array(z.unknown()).min(1).max(1000);

export const batchResultOf = <T extends z.ZodType>(item: T) =>
  z.object({
    object: z.literal('batch_result'),
    created: z.array(item).meta({ description: 'The rows that hold now, known ones among them, in the order of the call.' }),
    errors: z.array(z.object({ index: z.int(), email: z.string(), error: RowProblem })),
  });

/** Each row in the form of `schema`, or why it has not. */
export function readRows<T extends z.ZodType>(schema: T, rows: readonly unknown[]): (z.output<T> | Refusal)[] {
  return rows.map((row) => {
    try {
      return bodyOf(schema, row) as z.output<T>;
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  });
}

/** The answer to a batch: `outcomes` stand beside the `rows` that were sent. */
export function batchResult<R, Shown>(rows: readonly unknown[], outcomes: readonly (R | Refusal)[], present: (row: R) => Shown) {
  const created: Shown[] = [];
  const errors: { index: number; email: string; error: ReturnType<typeof rowError> }[] = [];
  outcomes.forEach((outcome, index) => {
    if (outcome instanceof Refusal) errors.push({ index, email: emailOf(rows[index]), error: rowError(outcome) });
    else created.push(present(outcome));
  });
  return { object: 'batch_result' as const, created, errors };
}

/** The address as it was sent, so that the caller knows the row again; empty where there is none. */
function emailOf(row: unknown): string {
  const email: unknown = typeof row === 'object' && row !== null && 'email' in row ? row.email : undefined;
  return typeof email === 'string' ? email.slice(0, 320) : '';
}

/**
 * Do `work` once for all rows that could be read, and put its outcomes back into their places. `work` answers each row it is given, in order.
 */
export async function batch<T, R>(read: readonly (T | Refusal)[], work: (rows: T[]) => Promise<readonly (R | Refusal)[]>): Promise<(R | Refusal)[]> {
  const good = read.filter((row): row is T => !(row instanceof Refusal));
  const done = good.length ? await work(good) : [];
  let next = 0;
  return read.map((row) => (row instanceof Refusal ? row : done[next++]!));
}
