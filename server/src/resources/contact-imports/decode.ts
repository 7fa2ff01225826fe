import { isUtf8 } from 'node:buffer';
import { type Clock, sleep } from '#platform/clock.ts';
import { Refusal } from '#platform/refusal.ts';

const unreadable = (message: string) => new Refusal('import_unreadable', message, { param: 'file' });

/** What other files begin with that are taken for CSV. */
const OTHERS: readonly (readonly [string, string])[] = [
  ['504b0304', 'This is a zip archive or a spreadsheet (xlsx). Save the sheet as CSV.'],
  ['d0cf11e0', 'This is a spreadsheet (xls). Save the sheet as CSV.'],
  ['1f8b', 'This file is compressed with gzip. Send it unpacked.'],
  ['25504446', 'This is a PDF.'],
];

const SLICE = 1024 * 1024;
const UTF8_MARK = Buffer.from('efbbbf', 'hex');

/**
 * The text of a file as UTF-8 without a mark: by its byte order mark; UTF-16 without one by where its zero bytes stand; else UTF-8, and
 * Windows-1252 (in which every byte is a character) when it is not valid UTF-8. Throws import_unreadable for other kinds of files and for
 * text with NUL. Lets others have their turn while it works.
 */
export async function utf8Of(clock: Clock, file: Buffer): Promise<Buffer> {
  const other = OTHERS.find(([start]) => file.subarray(0, start.length / 2).equals(Buffer.from(start, 'hex')));
  if (other) throw unreadable(other[1]);
  const bytes = await decoded(clock, file);
  if (bytes.includes(0)) throw unreadable('The file holds NUL characters: it is no text, or in an encoding that is not known here.');
  return bytes;
}

async function decoded(clock: Clock, bytes: Buffer): Promise<Buffer> {
  const wide = utf16Of(bytes);
  if (!wide && isUtf8(bytes)) return bytes.subarray(0, 3).equals(UTF8_MARK) ? bytes.subarray(3) : bytes;
  const decoder = new TextDecoder(wide ?? 'windows-1252');
  const parts: Buffer[] = [];
  for (let i = 0; i < bytes.length; i += SLICE) {
    if (i) await sleep(clock, 0);
    parts.push(Buffer.from(decoder.decode(bytes.subarray(i, i + SLICE), { stream: true })));
  }
  parts.push(Buffer.from(decoder.decode()));
  return Buffer.concat(parts);
}

function utf16Of(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const start = bytes.subarray(0, 1024);
  const zeros = [0, 0];
  start.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2]!++;
  });
  // In UTF-16 every Latin letter has one zero byte, always on the same side.
  const many = start.length / 4;
  if (zeros[1]! > many && zeros[0] === 0) return 'utf-16le';
  return zeros[0]! > many && zeros[1] === 0 ? 'utf-16be' : undefined;
}
