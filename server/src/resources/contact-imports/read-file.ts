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
/** Lines, blank ones among them: 50 MiB of line ends would take minutes. */
const MAX_LINES = 2 * MAX_ROWS;
/** Cells of a line: 50 MiB of commas would take gigabytes. */
const MAX_CELLS = 20_000;
const MAX_RECORD = 1024 * 1024;
const SLICE = 256 * 1024;
/** How many rows are looked at to find the column of the addresses. */
const LOOKED_AT = 100;

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
    return await readText(clock, textOf(file), mapping);
  } catch (error) {
    if (error instanceof CsvError) return nothingOf(unreadable(`The file is damaged: ${error.message.slice(0, 200)}.`));
    if (error instanceof Refusal && error.code === 'import_unreadable') return nothingOf(error);
    throw error;
  }
}

const unreadable = (message: string) => new Refusal('import_unreadable', message, { param: 'file' });
const nothingOf = (refusal: Refusal): Reading => ({ totalRows: 0, rows: [], faults: [], unreadable: refusal });
const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '');

type Line = { row: number; cells: string[] };

/** Row by row, so that no more is held in memory than will be imported; only the first few wait until the columns are known. */
async function readText(clock: Clock, text: string, mapping: Mapping): Promise<Reading> {
  const reading: Reading = { totalRows: 0, rows: [], faults: [], unreadable: null };
  const rowOf = new Map<string, number>();
  let header: string[] | undefined;
  let columns: Columns | undefined;
  let waiting: Line[] = [];
  const settle = () => {
    if (!header) throw unreadable('The file is empty.');
    columns ??= columnsOf(
      header,
      waiting.map((line) => line.cells),
      mapping,
    );
    for (const line of waiting) readLine(reading, line, columns, rowOf);
    waiting = [];
  };
  for await (const line of linesOf(clock, text)) {
    if (!header) {
      header = line.cells;
      continue;
    }
    if (++reading.totalRows > MAX_ROWS) throw new Refusal('payload_too_large', `A file has at most ${MAX_ROWS} rows.`, { param: 'file' });
    waiting.push(line);
    if (columns || waiting.length === LOOKED_AT) settle();
  }
  settle();
  if (reading.totalRows === 0) throw unreadable('The file has no rows below its header.');
  return reading;
}

/** The lines that hold something. A stray quote inside a cell is a character; one that is never closed ends the reading. */
async function* linesOf(clock: Clock, text: string): AsyncGenerator<Line> {
  const delimiter = delimiterOf(text);
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD,
  });
  let row = 0;
  for await (const cells of Readable.from(slicesOf(clock, Buffer.from(text), delimiter)).compose(parser) as AsyncIterable<string[]>) {
    if (++row > MAX_LINES) throw new Refusal('payload_too_large', `A file has at most ${MAX_LINES} lines.`, { param: 'file' });
    if (!isBlank(cells)) yield { row, cells };
  }
}

/** The bytes piece by piece, with a breath between them: a large file must not keep everybody else waiting. */
async function* slicesOf(clock: Clock, bytes: Buffer, delimiter: string): AsyncGenerator<Buffer> {
  const separator = delimiter.charCodeAt(0);
  let cells = 0;
  for (let i = 0; i < bytes.length; i += SLICE) {
    if (i) await sleep(clock, 0);
    const slice = bytes.subarray(i, i + SLICE);
    for (const byte of slice) {
      if (byte === 0x0a || byte === 0x0d) cells = 0;
      else if (byte === separator && ++cells > MAX_CELLS) throw unreadable(`A line of the file has more than ${MAX_CELLS} cells.`);
    }
    yield slice;
  }
}

function readLine(reading: Reading, { row, cells }: Line, columns: Columns, rowOf: Map<string, number>): void {
  const email = (cells[columns.email.index] ?? '').trim();
  const attributes = attributesOf(cells, columns);
  const fault = faultOf({ cells, email, attributes, columns, rowOf });
  if (fault) {
    reading.faults.push({ row, email: email.slice(0, 320), ...fault });
    return;
  }
  rowOf.set(emailKey(email), row);
  reading.rows.push({ row, email, attributes });
}

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
