const MAX_HTML = 256 * 1024;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/**
 * The words of an HTML body, for rules to read and not for people to look at: tags go, blocks end lines, scripts and styles are left out.
 * Every pass is linear in the length; at most 256 Ki characters are read.
 */
export function plainText(html: string): string {
  let text = html.slice(0, MAX_HTML);
  for (const name of ['head', 'style', 'script']) text = without(text, name);
  return text
    .replace(/<(?:br|\/p|\/div|\/tr|\/li|\/h[1-6]|\/blockquote)\b[^<>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:#(\d{1,6})|([a-z]{2,5}));/gi, (whole, number: string | undefined, name: string | undefined) => {
      if (number !== undefined) return Number(number) >= 32 && Number(number) < 0xd800 ? String.fromCharCode(Number(number)) : ' ';
      return ENTITIES[(name ?? '').toLowerCase()] ?? whole;
    })
    .replace(/[ \t\u00a0]+/g, ' ')
    .replace(/ ?\r?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The text without its elements of one name. An element that is never closed takes the rest with it, as in a browser. */
function without(text: string, name: string): string {
  const opening = new RegExp(`<${name}\\b[^<>]*>`, 'gi');
  const closing = new RegExp(`</${name}\\b[^<>]*>`, 'gi');
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    opening.lastIndex = from;
    const start = opening.exec(text);
    if (!start) return kept.join('') + text.slice(from);
    kept.push(text.slice(from, start.index));
    closing.lastIndex = opening.lastIndex;
    if (!closing.exec(text)) return kept.join('');
    from = closing.lastIndex;
  }
}
