import { BadLetter } from './bad-letter.ts';

/**
 * The moment as RFC 5322 section 3.3 writes it, in UTC: `Fri, 02 Jan 2026 03:04:05 +0000`. BadLetter for an invalid date or a year of other than
 * four digits.
 */
export function headerDate(date: Date): string {
  const text = date.toUTCString();
  if (!/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)) throw new BadLetter(`no date for a header: ${text}`);
  return text.replace('GMT', '+0000');
}
