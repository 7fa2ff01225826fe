// The plain text of an HTML body.
import { compile } from 'html-to-text';

/** UTF-16 units of HTML that are read; what lies beyond is left out. */
const INPUT_LIMIT = 1024 * 1024;

/**
 * Start tags that are read, and as many end tags: the parser's time grows with their number times their depth. Without end tags one is the other, and
 * an end tag that closes nothing is looked for among all that are open.
 */
const TAG_LIMIT = 25_000;

const convert = compile({
  wordwrap: false,
  // The walk is recursive: depth is bounded so that hostile nesting cannot exhaust the stack.
  limits: { maxDepth: 200, ellipsis: '' },
  selectors: [
    { selector: 'a', options: { linkBrackets: ['(', ')'], hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: 'img', format: 'alternative' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
  formatters: {
    alternative: (element, _walk, builder) => builder.addInline(element.attribs['alt'] ?? '', { noWordTransform: true }),
  },
});

/**
 * HTML as plain text: links as `text (url)`, images as their alternative text, no line wrap. The first 2^20 UTF-16 units and the first 25,000 start
 * and end tags each are read; elements nested deeper than 200 are left out. Broken HTML is read leniently, never refused.
 */
export function textFromHtml(html: string): string {
  return convert(fewTags(html.slice(0, INPUT_LIMIT)).toWellFormed());
}

function fewTags(html: string): string {
  const counts = { starts: 0, ends: 0 };
  for (const tag of html.matchAll(/<\/?[a-z]/gi)) {
    if (++counts[tag[0].length === 3 ? 'ends' : 'starts'] > TAG_LIMIT) return html.slice(0, tag.index);
  }
  return html;
}
