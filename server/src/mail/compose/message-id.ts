import { BadLetter } from './bad-letter.ts';

/** Whether a text is a message id that a header can cite: `<…>`, printable ASCII without spaces or angle brackets, at most 900 characters. */
export function isMessageId(text: string): boolean {
  return text.length <= 900 && /^<[!-;=?-~]+>$/.test(text);
}

/** The message id as it came, or BadLetter. Ids from strangers' mail are to be asked by isMessageId before they are cited. */
export function messageId(text: string, what: string): string {
  if (!isMessageId(text)) throw new BadLetter(`${what}: not a message id: ${JSON.stringify(text.slice(0, 100))}`);
  return text;
}
