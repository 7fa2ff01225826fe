// The HTML of a received mail, reduced to what shows and does not act.
import sanitize from 'sanitize-html';

/** Start tags that are read: the sanitiser's time grows with their number. */
const TAG_LIMIT = 25_000;
const DEPTH_LIMIT = 100;

const TAGS =
  'html body p div span br hr b strong i em u s strike del ins small big sub sup font center blockquote pre code tt kbd samp q cite abbr address ' +
  'h1 h2 h3 h4 h5 h6 ul ol li dl dt dd a img figure figcaption table caption colgroup col thead tbody tfoot tr td th article section header footer ' +
  'main nav aside details summary label bdi bdo wbr';
const EVERYWHERE = 'style align valign dir lang title width height bgcolor color border';

const OPTIONS: sanitize.IOptions = {
  allowedTags: TAGS.split(' '),
  allowedAttributes: {
    '*': EVERYWHERE.split(' '),
    a: ['href', 'name', 'target', 'rel'],
    img: ['src', 'alt'],
    font: ['face', 'size'],
    table: ['cellpadding', 'cellspacing', 'role'],
    td: ['colspan', 'rowspan', 'nowrap'],
    th: ['colspan', 'rowspan', 'nowrap', 'scope'],
    col: ['span'],
    ol: ['start', 'type'],
    li: ['value'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'cid', 'data'] },
  allowProtocolRelative: false,
  nestingLimit: DEPTH_LIMIT,
  // Their content is no text for people.
  nonTextTags: ['script', 'style', 'textarea', 'option', 'noscript', 'title', 'template', 'xml', 'svg', 'math', 'object', 'iframe', 'head'],
  transformTags: {
    '*': (tagName, { style, ...attribs }) => ({ tagName, attribs: style === undefined ? attribs : { ...attribs, style: harmless(style) } }),
    // A relative address leads nowhere from a mail.
    a: (tagName, { style, href = '', target: _target, rel: _rel, ...attribs }) => ({
      tagName,
      attribs: {
        ...attribs,
        ...(/^(?:https?|mailto|tel):|^#/i.test(href) && { href }),
        ...(style !== undefined && { style: harmless(style) }),
        target: '_blank',
        rel: 'noopener noreferrer nofollow',
      },
    }),
  },
  // An image in the address itself may be a picture, but no document.
  exclusiveFilter: ({ tag, attribs }) =>
    tag === 'img' && /^data:/i.test(attribs['src'] ?? '') && !/^data:image\/(?:png|jpeg|gif|webp);/i.test(attribs['src']!),
};

/** Declarations that fetch, run or lay themselves over the page around. A backslash could spell any of them. */
const HARMFUL = /url\s*\(|expression|image-set|javascript:|behaviou?r|-moz-binding|@import|position\s*:|z-index|[\\<]/i;
const harmless = (style: string) =>
  style
    .replaceAll(/\/\*.*?\*\//gs, '')
    .split(';')
    .filter((one) => !HARMFUL.test(one))
    .join(';')
    .slice(0, 2_000);

/**
 * The HTML of a mail for showing: text, tables, links (http, https, mailto, tel; opening apart) and pictures (http, https, cid, and png, jpeg, gif,
 * webp in data: addresses). Scripts, handlers, style sheets, forms, frames, SVG, meta and base are gone; inline styles stay without what fetches or
 * covers. Pictures from elsewhere stay: whoever shows the mail decides whether to load them. At most 25,000 tags are read, 100 deep.
 */
export function cleanBody(html: string): { html: string; truncated: boolean } {
  let count = 0;
  let end = html.length;
  for (const tag of html.matchAll(/<[a-z]/gi)) {
    if (++count <= TAG_LIMIT) continue;
    end = tag.index;
    break;
  }
  return { html: sanitize(html.slice(0, end), OPTIONS), truncated: end < html.length };
}
