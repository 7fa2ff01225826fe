/**
 * A path with its ids encoded: path`/v1/contacts/${id}`. An empty id, `.` and `..` throw a TypeError: they would silently address
 * another route, such as the list or the level above.
 */
export function path(texts: TemplateStringsArray, ...ids: string[]): string {
  return texts.reduce((whole, text, index) => whole + segment(ids[index - 1]) + text);
}

function segment(id: string | undefined): string {
  if (typeof id !== 'string' || ['', '.', '..'].includes(id)) throw new TypeError(`${JSON.stringify(id)} is not an id.`);
  return encodeURIComponent(id);
}
