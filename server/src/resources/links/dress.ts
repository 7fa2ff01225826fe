// A letter's last clothes: the footer, links by way of us, the pixel. Put on once, when the letter is written: each attempt sends the same bytes.
import type { World } from '#world/ctx.ts';
import { atEnd, changeAnchors } from './anchors.ts';
import { type Signed, linkTo } from './token.ts';

type Texts = { html: string | null; text: string | null };
type Wish = { trackOpens: boolean; trackClicks: boolean; /** The address of a visible way out, null for none. */ footer: string | null };
/** `urls`: where the links lead that now go by way of us, in the order of their places. */
export type Dressed = Texts & { urls: string[] };

/** Links of one mail that are followed. */
const MOST_LINKS = 500;
const MOST_LENGTH = 8_000;

/**
 * Put in what is wished. The plain text gets the footer at most; mailto, anchors, our own links and whatever is no http(s) address stay as they are.
 * A part in which the way out stands already gets no second one.
 */
export function dress(world: Pick<World, 'config' | 'box'>, about: Omit<Signed, 'place'>, { html, text }: Texts, wish: Wish): Dressed {
  const { footer, trackOpens, trackClicks } = wish;
  const urls: string[] = [];
  let page = html;
  let plain = text;
  if (footer !== null) {
    if (page !== null && !page.includes(escaped(footer))) page = atEnd(page, FOOTER(escaped(footer)));
    if (plain !== null && !plain.includes(footer)) plain = `${plain}\n\nUnsubscribe: ${footer}`;
  }
  if (page !== null && trackClicks) page = changeAnchors(page, byWayOfUs(world, about, urls));
  if (page !== null && trackOpens) page = atEnd(page, PIXEL(escaped(linkTo(world, 'open', { ...about, place: 0 }))));
  return { html: page, text: plain, urls };
}

function byWayOfUs(world: Pick<World, 'config' | 'box'>, about: Omit<Signed, 'place'>, urls: string[]): (url: string) => string | null {
  // All but the token itself.
  const own = linkTo(world, 'unsubscribe', { ...about, place: 0 }).slice(0, -68);
  const places = new Map<string, number>();
  return (url) => {
    const target = webAddress(url);
    if (target === null || target.startsWith(own)) return null;
    const place = places.get(target) ?? urls.length;
    if (place >= MOST_LINKS) return null;
    if (place === urls.length) urls.push(target);
    places.set(target, place);
    return linkTo(world, 'click', { ...about, place });
  };
}

/** The address as it stands in a header, if it is one of the web. */
export function webAddress(text: string): string | null {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > MOST_LENGTH) return null;
  return url.href;
}

const escaped = (url: string) => url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
const FOOTER = (url: string) => `<p style="margin-top:24px;font-size:12px;color:#666666"><a href="${url}" style="color:#666666">Unsubscribe</a></p>`;
const PIXEL = (url: string) => `<img src="${url}" width="1" height="1" alt="" style="border:0">`;
