import { Refusal } from '#platform/refusal.ts';

const unreadable = (message: string) => new Refusal('import_unreadable', message, { param: 'file' });

/** What other files begin with that are taken for CSV. */
const OTHERS: readonly (readonly [string, string])[] = [
  ['504b0304', 'This is a zip archive or a spreadsheet (xlsx). Save the sheet as CSV.'],
  ['d0cf11e0', 'This is a spreadsheet (xls). Save the sheet as CSV.'],
  ['1f8b', 'This file is compressed with gzip. Send it unpacked.'],
  ['25504446', 'This is a PDF.'],
];

/**
 * The text of a file: by its byte order mark; UTF-16 without one by where its zero bytes stand; else UTF-8, and Windows-1252 (in which every
 * byte is a character) when it is not valid UTF-8. Throws import_unreadable for other kinds of files and for text with NUL.
 */
export function textOf(bytes: Buffer): string {
  const other = OTHERS.find(([start]) => bytes.subarray(0, start.length / 2).equals(Buffer.from(start, 'hex')));
  if (other) throw unreadable(other[1]);
  const text = decoded(bytes);
  if (text.includes('\0')) throw unreadable('The file holds NUL characters: it is no text, or in an encoding that is not known here.');
  return text;
}

function decoded(bytes: Buffer): string {
  const wide = utf16Of(bytes);
  if (wide) return new TextDecoder(wide).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return new TextDecoder('windows-1252').decode(bytes);
  }
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
