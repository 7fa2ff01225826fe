import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { type Clock, sleep } from '#platform/clock.ts';
import { emailKey, isEmail } from '#platform/email-address.ts';
import { Refusal } from '#platform/refusal.ts';
import { attributesFault } from '#resources/contacts/index.ts';
import { type Columns, type Mapping, columnsOf } from './columns.ts';
import { textOf } from './decode.ts';
import { delimiterOf } from './delimiter.ts';

export const MAX_ROWS = 50_000;
const SLICE = 256 * 1024;
const MAX_RECORD = 1024 * 1024;

/** `row` counts as spreadsheets do: the header is row 1, a blank line is a row too. */
export type GoodRow = { row: number; email: string; attributes: Record<string, string> };
export type RowFault = { row: number; email: string; column: string | null; refusal: Refusal };
export type Reading = { totalRows: number; rows: GoodRow[]; faults: RowFault[]; unreadable: Refusal | null };

/**
 * What a file says, without asking anybody whether it may. A file that cannot be read at all is an answer too (`unreadable`). Throws for
 * what the caller did wrong: validation_failed for a mapping that does not fit, payload_too_large for too many rows.
 */
export async function readFile(clock: Clock, file: Buffer, mapping: Mapping): Promise<Reading> {
  try {
    const records = await recordsOf(clock, textOf(file));
    const first = records.findIndex((cells) => !isBlank(cells));
    if (first < 0) throw unreadable('The file is empty.');
    const below = records.slice(first + 1);
    const columns = columnsOf(records[first]!, below, mapping);
    const reading = readRows(below, first + 2, columns);
    if (reading.totalRows === 0) throw unreadable('The file has no rows below its header.');
    return reading;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'import_unreadable') throw error;
    return { totalRows: 0, rows: [], faults: [], unreadable: error };
  }
}

const unreadable = (message: string) => new Refusal('import_unreadable', message, { param: 'file' });
const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '');

/** The cells of each line, blank lines among them. A stray quote inside a cell is a character; one that is never closed ends the reading. */
async function recordsOf(clock: Clock, text: string): Promise<string[][]> {
  const parser = parse({
    delimiter: delimiterOf(text),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD,
  });
  const records: string[][] = [];
  let written = 0;
  try {
    const read = Readable.from(slicesOf(clock, Buffer.from(text))).compose(parser) as AsyncIterable<string[]>;
    for await (const cells of read) {
      records.push(cells);
      if (!isBlank(cells) && ++written > MAX_ROWS + 1) {
        throw new Refusal('payload_too_large', `A file has at most ${MAX_ROWS} rows.`, { param: 'file' });
      }
    }
  } catch (error) {
    if (error instanceof CsvError) throw unreadable(`The file is damaged near row ${records.length + 1}: ${error.message.slice(0, 200)}`);
    throw error;
  }
  return records;
}

/** The bytes piece by piece, with a breath between them: a large file must not keep everybody else waiting. */
async function* slicesOf(clock: Clock, bytes: Buffer): AsyncGenerator<Buffer> {
  for (let i = 0; i < bytes.length; i += SLICE) {
    if (i) await sleep(clock, 0);
    yield bytes.subarray(i, i + SLICE);
  }
}

function readRows(records: readonly string[][], firstRow: number, columns: Columns): Reading {
  const reading: Reading = { totalRows: 0, rows: [], faults: [], unreadable: null };
  const rowOf = new Map<string, number>();
  for (const [index, cells] of records.entries()) {
    if (isBlank(cells)) continue;
    reading.totalRows++;
    const row = firstRow + index;
    const email = (cells[columns.email.index] ?? '').trim();
    const attributes = attributesOf(cells, columns);
    const fault = faultOf({ cells, email, attributes, columns, rowOf });
    if (fault) reading.faults.push({ row, email: email.slice(0, 320), ...fault });
    else {
      rowOf.set(emailKey(email), row);
      reading.rows.push({ row, email, attributes });
    }
  }
  return reading;
}

/** An empty cell says nothing; it does not wipe out what is known. */
const attributesOf = (cells: readonly string[], { attributes }: Columns) =>
  Object.fromEntries(attributes.map(({ index, name }) => [name, cells[index] ?? ''] as const).filter(([, cell]) => cell.trim() !== ''));

type Judged = { cells: readonly string[]; email: string; attributes: Record<string, string>; columns: Columns; rowOf: ReadonlyMap<string, number> };

function faultOf({ cells, email, attributes, columns, rowOf }: Judged): { column: string | null; refusal: Refusal } | undefined {
  const column = columns.email.name;
  if (!isBlank(cells.slice(columns.width))) return { column: null, refusal: new Refusal('validation_failed', 'The row has more cells than the header.') };
  if (email === '') return { column, refusal: new Refusal('invalid_email', 'The e-mail address is missing.') };
  if (!isEmail(email)) return { column, refusal: new Refusal('invalid_email', 'This is not an e-mail address.') };
  const before = rowOf.get(emailKey(email));
  if (before !== undefined) return { column, refusal: new Refusal('duplicate_row', `Row ${before} has the same address.`) };
  const fault = attributesFault(attributes);
  return fault ? { column: null, refusal: new Refusal('validation_failed', fault) } : undefined;
}
