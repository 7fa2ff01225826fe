import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesOfId, idOfBytes, newId } from '#platform/ids.ts';
import { systemClock } from '#platform/clock.ts';
import { configFrom } from '#platform/config.ts';
import { seeded } from '#platform/random.ts';
import { secretBox } from '#platform/secretbox.ts';
import { costOf } from '#testing/cost.ts';
import { changeAnchors } from './anchors.ts';
import { dress } from './dress.ts';
import { linkTo, tokenIn } from './token.ts';

const random = seeded(3);
const means = { clock: systemClock(), random };
const keyOf = (fill: number) => ({ id: `k${fill}`, key: Buffer.alloc(32, fill) });
const worldOf = (...fills: number[]) => ({ config: configFrom({ BASE_URL: 'https://mail.house.test/' }), box: secretBox(fills.map(keyOf), random) });
const world = worldOf(1);
const about = { workspaceId: newId(means, 'wsp'), mode: 'live' as const, sendId: newId(means, 'snd') };
const tokenOf = (url: string) => url.replace(/\.gif$/, '').slice(-68);

test('an id is its bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      assert.deepEqual(new Uint8Array(bytesOfId(idOfBytes('snd', Buffer.from(bytes)))), bytes);
    }),
  );
});

test('[X3] a token says what it was made for; another purpose, any other bit, length or key, and it says nothing', () => {
  const url = linkTo(world, 'click', { ...about, place: 300 });
  assert.match(url, /^https:\/\/mail\.house\.test\/c\/[\w-]{68}$/);
  const token = tokenOf(url);
  assert.deepEqual(tokenIn(world, 'click', token), { ...about, place: 300 });
  for (const purpose of ['open', 'unsubscribe'] as const) assert.equal(tokenIn(world, purpose, token), null);
  const bytes = Buffer.from(token, 'base64url');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    assert.equal(tokenIn(world, 'click', flipped.toString('base64url')), null, `bit ${bit}`);
  }
  for (const bad of ['', token.slice(1), token.slice(0, -1), `${token}A`, `${token}=`, token.replace(/.$/, '+'), 'A'.repeat(68)])
    assert.equal(tokenIn(world, 'click', bad), null, bad);
  assert.equal(tokenIn(worldOf(2), 'click', token), null);
});

test('[X3] a link of before a rotation still works, and new ones are signed by the new key', () => {
  const token = tokenOf(linkTo(world, 'unsubscribe', { ...about, place: 0 }));
  const rotated = worldOf(2, 1);
  assert.deepEqual(tokenIn(rotated, 'unsubscribe', token), { ...about, place: 0 });
  assert.equal(tokenIn(world, 'unsubscribe', tokenOf(linkTo(rotated, 'unsubscribe', { ...about, place: 0 }))), null);
});

const ALL = { trackOpens: true, trackClicks: true, footer: linkTo(world, 'unsubscribe', { ...about, place: 0 }) };
const hrefs = (html: string) => {
  const found: string[] = [];
  changeAnchors(html, (url) => {
    found.push(url);
    return null;
  });
  return found;
};

test('links of the web go by way of us; everything else stays as it is', () => {
  const kept = [
    '<a href="mailto:ann@sender.test">m</a>',
    '<a href="tel:+49">t</a>',
    '<a href="#top">x</a>',
    '<a name="top">y</a>',
    '<a href="javascript:alert(1)">j</a>',
    '<a href="data:text/html,x">d</a>',
    '<a href="/relative">r</a>',
    '<a href="">e</a>',
    `<a href="${ALL.footer}">u</a>`,
    '<abbr href="https://x.test">a</abbr>',
    '<a data-href="https://x.test/data">d</a>',
    `<a title=' href="https://x.test/title"' name=n>t</a>`,
    '<img src="https://x.test/i.png">',
    '<a href="ftp://x.test">f</a>',
  ].join('\n');
  const { html, urls } = dress(world, about, { html: kept, text: null }, { ...ALL, trackOpens: false, footer: null });
  assert.deepEqual([html, urls], [kept, []]);
  const page = [
    '<a href="https://x.test/?a=1&amp;b=2">1</a>',
    `<A class=x HREF='https://x.test/two' id=k>2</A>`,
    '<a href=https://x.test/three>3</a>',
    '<a href="https://x.test/?a=1&#38;b=2" href="https://second.test">again</a>',
    '<area href=" HTTP://X.test/map\n">',
    '<a\nhref = "https://bücher.test/ü">5</a>',
    '<a title="a > b" href="https://x.test/six">6</a>',
  ];
  const dressed = dress(world, about, { html: page.join('\n'), text: 'https://x.test/two' }, { ...ALL, trackOpens: false, footer: null });
  const led = [
    'https://x.test/?a=1&b=2',
    'https://x.test/two',
    'https://x.test/three',
    'http://x.test/map',
    'https://xn--bcher-kva.test/%C3%BC',
    'https://x.test/six',
  ];
  assert.deepEqual(dressed.urls, led);
  assert.equal(dressed.text, 'https://x.test/two');
  const places = hrefs(dressed.html!).map((url) => tokenIn(world, 'click', tokenOf(url))?.place);
  assert.deepEqual(places, [0, 1, 2, 0, 3, 4, 5]);
  assert.match(dressed.html!, /<A class=x HREF="https:\/\/mail\.house\.test\/c\/[\w-]{68}" id=k>2<\/A>/);
});

test('the pixel stands at the end of the HTML, the footer in both parts, unless the way out is there already', () => {
  const { html, text } = dress(world, about, { html: '<html><body><p>Hi</p></BODY></html>', text: 'Hi' }, ALL);
  assert.match(
    html!,
    /^<html><body><p>Hi<\/p><p [^>]*><a href="https:[^"]+\/u\/[\w-]{68}"[^>]*>Unsubscribe<\/a><\/p><img src="[^"]+\.gif" [^>]*><\/BODY><\/html>$/,
  );
  assert.equal(text, `Hi\n\nUnsubscribe: ${ALL.footer}`);
  const own = dress(world, about, { html: `<a href="${ALL.footer}">out</a>`, text: `Out: ${ALL.footer}` }, { ...ALL, trackOpens: false });
  assert.deepEqual(own, { html: `<a href="${ALL.footer}">out</a>`, text: `Out: ${ALL.footer}`, urls: [] });
  const plain = dress(world, about, { html: null, text: 'See https://x.test' }, { ...ALL, footer: null });
  assert.deepEqual(plain, { html: null, text: 'See https://x.test', urls: [] });
  assert.equal(tokenIn(world, 'open', tokenOf(/src="([^"]+)"/.exec(html!)![1]!))?.sendId, about.sendId);
});

test('any HTML is dressed in no time, and only links change', async () => {
  const piece = fc.constantFrom('<a ', '<a', 'href=', '"', "'", '>', '<', ' ', 'https://x.test/', '=', '&amp;', '<!--', '-->', '/', 'x', '\n');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const html = pieces.join('');
      assert.equal(changeAnchors(html, () => null), html); // prettier-ignore
    }),
  );
  const units = ['<a ', '<a "', `<a '"`, '<a href=', '<a href="x', '<a "" ', '<a x="<a" ', '<a b=c '];
  const cost = await costOf(() => {
    for (const unit of units) changeAnchors(unit.repeat(1_000_000 / unit.length), () => null);
  });
  // It comes to about 2; in quadratic time nobody would wait for the end of it.
  assert.ok(cost < 20, `${cost}`);
});
