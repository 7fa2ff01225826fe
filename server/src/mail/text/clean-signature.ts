// An inbox's signature, reduced to HTML that may be mailed and shown.
import sanitize from 'sanitize-html';

const LENGTH = /^-?\d+(?:\.\d+)?(?:px|pt|em|rem|%)?$/;
const LENGTHS = /^-?\d+(?:\.\d+)?(?:px|pt|em|rem|%)?(?: -?\d+(?:\.\d+)?(?:px|pt|em|rem|%)?){0,3}$/;
const COLOR = /^(?:#[0-9a-f]{3,8}|[a-z]{1,30}|rgba?\([\d\s.,%]{1,40}\))$/i;
const SIDES = ['', '-top', '-right', '-bottom', '-left'];

const TAGS =
  'p div span br hr b strong i em u s small sub sup font blockquote pre code h1 h2 h3 h4 h5 h6 ul ol li a img table thead tbody tfoot tr td th';

const OPTIONS: sanitize.IOptions = {
  allowedTags: TAGS.split(' '),
  allowedAttributes: {
    '*': ['style', 'align', 'dir', 'lang'],
    a: ['href', 'title'],
    img: ['src', 'alt', 'width', 'height'],
    font: ['color', 'face', 'size'],
    table: ['width', 'border', 'cellpadding', 'cellspacing'],
    td: ['width', 'height', 'valign', 'colspan', 'rowspan'],
    th: ['width', 'height', 'valign', 'colspan', 'rowspan'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  // The schemes above let relative addresses pass, which lead nowhere from a mail.
  transformTags: {
    a: (tagName, attribs) => {
      const { href = '', ...others } = attribs;
      return { tagName, attribs: /^(?:https?|mailto):/i.test(href) ? attribs : others };
    },
  },
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !/^https?:/i.test(attribs['src'] ?? ''),
  allowedStyles: {
    '*': {
      color: [COLOR],
      'background-color': [COLOR],
      'font-family': [/^[\w\s"',-]{1,200}$/],
      'font-size': [LENGTH, /^[a-z-]{1,10}$/],
      'font-weight': [/^(?:normal|bold|bolder|lighter|\d{3})$/],
      'font-style': [/^(?:normal|italic|oblique)$/],
      'line-height': [LENGTH, /^normal$/],
      'text-align': [/^(?:left|right|center|justify)$/],
      'text-decoration': [/^(?:none|underline|line-through)$/],
      width: [LENGTH],
      height: [LENGTH],
      ...Object.fromEntries(
        SIDES.flatMap((side) => [
          [`margin${side}`, [LENGTHS]],
          [`padding${side}`, [LENGTHS]],
        ]),
      ),
    },
  },
};

/**
 * The signature with formatting tags, links to http, https and mailto, and images from http and https; styles only for color, font, size, margin,
 * padding and alignment. Scripts, style sheets, handlers, SVG and all else are dropped. The result put in again comes out unchanged.
 * The caller bounds the length (10,000 characters): the time grows with tags times depth.
 */
export function cleanSignature(html: string): string {
  return sanitize(html, OPTIONS);
}
