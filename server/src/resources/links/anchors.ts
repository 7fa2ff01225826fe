// The links of an HTML body, found and replaced where they stand; everything else stays as it is, byte for byte.

// A tag whose attributes hold no bare `<`, which keeps the search from reading a broken text again and again.
const TAG = /<(?:a|area)(?=[\s/"'])(?:"[^"]*"|'[^']*'|[^'"<>])*>/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:(\s*=\s*)(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?|["'][^"']*["']/g;

/** The HTML with each address of a link as `change` wants it, null to leave it. `change` gets it as a browser would read it. */
export const changeAnchors = (html: string, change: (url: string) => string | null): string =>
  html.replace(TAG, (tag) => {
    const name = /^<\w+/.exec(tag)![0];
    let isDone = false;
    const attributes = tag
      .slice(name.length)
      .replace(ATTRIBUTE, (whole, key?: string, _is?: string, double?: string, single?: string, bare?: string) => {
        // Of two attributes of one name the first counts.
        if (isDone || key?.toLowerCase() !== 'href') return whole;
        isDone = true;
        const changed = change(unescaped(double ?? single ?? bare ?? ''));
        return changed === null ? whole : `${key}="${changed.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
      });
    return name + attributes;
  });

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Character references that occur in addresses. Others stay as they are written, as browsers do with `&copy=1`. */
const unescaped = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name) return NAMED[name.toLowerCase()]!;
    const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

/** The HTML with `piece` at its end, within the body where it has one. */
export function atEnd(html: string, piece: string): string {
  const end = html.toLowerCase().lastIndexOf('</body');
  return end < 0 ? html + piece : html.slice(0, end) + piece + html.slice(end);
}
