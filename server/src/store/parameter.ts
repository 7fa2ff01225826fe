// Lists and dates as PostgreSQL reads them. The driver does the same, but looks through each element of a list for each sign to escape.

/** Years that are written with four figures. */
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const END = Date.parse('+010000-01-01T00:00:00Z');

const isOrdinary = (date: Date) => date.getTime() >= FIRST && date.getTime() < END;

/** Text of a list's element; undefined for what is left to the driver. */
function elementText(value: unknown): string | undefined {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return isOrdinary(value) ? value.toISOString() : undefined;
  if (typeof value !== 'string') return undefined;
  return value.includes('"') || value.includes('\\') ? `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : `"${value}"`;
}

function listText(values: readonly unknown[]): string | undefined {
  let text = '';
  for (const value of values) {
    const element = elementText(value);
    if (element === undefined) return undefined;
    text += text === '' ? element : `,${element}`;
  }
  return `{${text}}`;
}

/** A statement's parameter as the driver is to have it: PostgreSQL's own text for dates and lists of plain values, others as they are. */
export function parameter(value: unknown): unknown {
  if (value instanceof Date) return isOrdinary(value) ? value.toISOString() : value;
  return Array.isArray(value) ? (listText(value) ?? value) : value;
}
