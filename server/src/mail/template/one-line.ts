/** Runs of control characters and line separators become one space each, so that the text can stand in a header or a single line. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
