import type { Clock } from '#platform/clock.ts';
import { emailKey, isEmail } from '#platform/email-address.ts';
import { Refusal } from '#platform/refusal.ts';
import { attributesFault } from '#resources/contacts/index.ts';
import { type Columns, type Mapping, columnsOf } from './columns.ts';
import { type Line, linesOf, unreadable } from './lines.ts';

/** How many rows are looked at to find the column of the addresses. */
const LOOKED_AT = 100;

/** `nth` counts the rows that hold something, from 1; `row` as spreadsheets do (see Line). */
export type GoodRow = { nth: number; row: number; email: string; attributes: Record<string, string> };
export type RowFault = { nth: number; row: number; email: string; column: string | null; refusal: Refusal };
export type Rows = { total: number; good: GoodRow[]; faults: RowFault[] };

/**
 * What the rows of a file say, slice by slice, without asking anybody whether they may. Throws import_unreadable where the file cannot be read
 * (at its end, too: what came before is then worth nothing), validation_failed for a mapping that does not fit, payload_too_large.
 */
export async function* rowsOf(clock: Clock, file: Buffer, mapping: Mapping): AsyncGenerator<Rows> {
  const rowOf = new Map<string, number>();
  let header: string[] | undefined;
  let columns: Columns | undefined;
  let waiting: Line[] = [];
  let nth = 0;
  for await (const lines of linesOf(clock, file)) {
    header ??= lines.shift()?.cells;
    if (!header) continue;
    // Only the first few wait until the columns are known.
    waiting.push(...lines);
    if (!columns && waiting.length < LOOKED_AT) continue;
    columns ??= columnsFor(header, waiting, mapping);
    yield judged(waiting, columns, rowOf, nth);
    nth += waiting.length;
    waiting = [];
  }
  if (!header) throw unreadable('The file is empty.');
  columns ??= columnsFor(header, waiting, mapping);
  if (waiting.length) yield judged(waiting, columns, rowOf, nth);
  if (nth + waiting.length === 0) throw unreadable('The file has no rows below its header.');
}

const columnsFor = (header: string[], lines: readonly Line[], mapping: Mapping) =>
  columnsOf(
    header,
    lines.slice(0, LOOKED_AT).map((line) => line.cells),
    mapping,
  );

function judged(lines: readonly Line[], columns: Columns, rowOf: Map<string, number>, before: number): Rows {
  const rows: Rows = { total: lines.length, good: [], faults: [] };
  lines.forEach(({ row, cells }, index) => {
    const nth = before + index + 1;
    const email = (cells[columns.email.index] ?? '').trim();
    const attributes = attributesOf(cells, columns);
    const fault = faultOf({ cells, email, attributes, columns, rowOf });
    if (fault) return void rows.faults.push({ nth, row, email: email.slice(0, 320), ...fault });
    rowOf.set(emailKey(email), row);
    rows.good.push({ nth, row, email, attributes });
  });
  return rows;
}

const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '');

/** An empty cell says nothing; it does not wipe out what is known. */
const attributesOf = (cells: readonly string[], { attributes }: Columns) =>
  Object.fromEntries(attributes.map(({ index, name }) => [name, cells[index] ?? ''] as const).filter(([, cell]) => cell.trim() !== ''));

type Judged = { cells: readonly string[]; email: string; attributes: Record<string, string>; columns: Columns; rowOf: ReadonlyMap<string, number> };

function faultOf({ cells, email, attributes, columns, rowOf }: Judged): { column: string | null; refusal: Refusal } | undefined {
  const column = columns.email.name;
  if (!isBlank(cells.slice(columns.width)))
    return { column: null, refusal: new Refusal('validation_failed', 'The row has more cells than the header.') };
  if (email === '') return { column, refusal: new Refusal('invalid_email', 'The e-mail address is missing.') };
  if (!isEmail(email)) return { column, refusal: new Refusal('invalid_email', 'This is not an e-mail address.') };
  const before = rowOf.get(emailKey(email));
  if (before !== undefined) return { column, refusal: new Refusal('duplicate_row', `Row ${before} has the same address.`) };
  const fault = attributesFault(attributes);
  return fault ? { column: null, refusal: new Refusal('validation_failed', fault) } : undefined;
}

/** Errors that are kept; counts tell of all. */
export const MAX_ERRORS = 1_000;
/** A whole file in one go. `faults` holds the first few alone, in the order of the file; `valid` counts the good rows. */
export type Reading = { total: number; valid: number; good: GoodRow[]; faults: RowFault[]; unreadable: Refusal | null };
const nothing = (refusal: Refusal | null): Reading => ({ total: 0, valid: 0, good: [], faults: [], unreadable: refusal });

/**
 * Read a whole file. One that cannot be read is an answer too (`unreadable`). With `most`, null as soon as it turns out to have more rows; without,
 * the good rows are counted only, so that a file of any length can be looked at. Throws as rowsOf does, but for import_unreadable.
 */
export async function readFile(clock: Clock, file: Buffer, mapping: Mapping, most?: number): Promise<Reading | null> {
  const reading = nothing(null);
  try {
    for await (const { total, good, faults } of rowsOf(clock, file, mapping)) {
      reading.total += total;
      reading.valid += good.length;
      reading.faults.push(...faults.slice(0, MAX_ERRORS - reading.faults.length));
      if (most === undefined) continue;
      if (reading.total > most) return null;
      reading.good.push(...good);
    }
    return reading;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'import_unreadable') return nothing(error);
    throw error;
  }
}
