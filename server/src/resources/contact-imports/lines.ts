import { CsvError, parse } from 'csv-parse';
import { type Clock, sleep } from '#platform/clock.ts';
import { Refusal } from '#platform/refusal.ts';
import { utf8Of } from './decode.ts';
import { delimiterOf } from './delimiter.ts';

/** Lines, blank ones among them: fifty megabytes of line ends would take minutes. */
const MAX_LINES = 2_000_000;
/** Cells of a line: fifty megabytes of commas would take gigabytes. */
const MAX_CELLS = 20_000;
const MAX_RECORD = 1024 * 1024;
/** What is read without a pause: a few milliseconds' worth. */
const SLICE = 64 * 1024;
const SCANNED = 1024 * 1024;

const OPTIONS = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_quotes: true,
  relax_column_count: true,
  max_record_size: MAX_RECORD,
  // Nothing waits for a reader here: what a slice holds is taken out at once.
  readableHighWaterMark: Number.MAX_SAFE_INTEGER,
};

/** `row` counts as spreadsheets do: the header is row 1, a blank line is a row too. */
export type Line = { row: number; cells: string[] };

export const unreadable = (message: string) => new Refusal('import_unreadable', message, { param: 'file' });
const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '');

/**
 * The lines that hold something, in slices, with a breath between them: a large file must not keep everybody else waiting. A stray quote inside
 * a cell is a character; one that is never closed makes the file unreadable. Throws import_unreadable, payload_too_large.
 */
export async function* linesOf(clock: Clock, file: Buffer): AsyncGenerator<Line[]> {
  const bytes = await utf8Of(clock, file);
  const delimiter = delimiterOf(bytes);
  await refuseEndless(clock, bytes, delimiter);
  const parser = parse({ ...OPTIONS, delimiter });
  let fault: unknown;
  parser.on('error', (error) => (fault = error));
  let row = 0;
  const taken = (): Line[] => {
    const lines: Line[] = [];
    for (let cells = parser.read() as string[] | null; cells !== null; cells = parser.read() as string[] | null) {
      row++;
      if (!isBlank(cells)) lines.push({ row, cells });
    }
    return lines;
  };
  const check = () => {
    if (fault instanceof CsvError) throw unreadable(`The file is damaged: ${fault.message.slice(0, 200)}.`);
    if (fault !== undefined) throw fault;
  };
  try {
    for (let i = 0; i < bytes.length; i += SLICE) {
      parser.write(bytes.subarray(i, i + SLICE));
      await sleep(clock, 0);
      check();
      const lines = taken();
      if (lines.length) yield lines;
    }
    const ended = new Promise<void>((resolve) => parser.once('finish', resolve).once('close', resolve));
    parser.end();
    await ended;
    check();
    yield taken();
  } finally {
    parser.destroy();
  }
}

/** Throws payload_too_large for too many lines and import_unreadable for a line of too many cells, before either costs anything. */
async function refuseEndless(clock: Clock, bytes: Buffer, delimiter: string): Promise<void> {
  const separator = delimiter.charCodeAt(0);
  let cells = 0;
  let feeds = 0;
  let returns = 0;
  for (let i = 0; i < bytes.length; i += SCANNED) {
    if (i) await sleep(clock, 0);
    for (const byte of bytes.subarray(i, i + SCANNED)) {
      if (byte > 0x0d && byte !== separator) continue;
      if (byte === 0x0a) feeds++;
      else if (byte === 0x0d) returns++;
      if (byte === 0x0a || byte === 0x0d) cells = 0;
      else if (byte === separator && ++cells > MAX_CELLS) throw unreadable(`A line of the file has more than ${MAX_CELLS} cells.`);
    }
    if (Math.max(feeds, returns) > MAX_LINES) throw new Refusal('payload_too_large', `A file has at most ${MAX_LINES} lines.`, { param: 'file' });
  }
}
