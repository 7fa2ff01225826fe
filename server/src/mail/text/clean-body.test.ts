import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanBody } from './clean-body.ts';
import { costOf } from '#testing/cost.ts';

const EVIL = [
  '<p>Ann</p><script>alert(1)</script>',
  '<p onclick="alert(1)" ONMOUSEOVER=alert(1)>Ann</p>',
  '<img src=x onerror=alert(1)><p>Ann</p>',
  '<svg onload=alert(1)><script>alert(1)</script></svg><p>Ann</p>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></table></mtext></math><p>Ann</p>',
  '<style>@import "//evil"; p { background: url(//evil) }</style><p>Ann</p>',
  '<link rel=stylesheet href=//evil><meta http-equiv=refresh content="0;url=//evil"><base href=//evil><p>Ann</p>',
  '<iframe src=//evil></iframe><object data=//evil></object><embed src=//evil><p>Ann</p>',
  '<form action=//evil><input name=a><button>Go</button></form><p>Ann</p>',
  '<a href="javascript:alert(1)">x</a><a href=" java\tscript:alert(1)">y</a><a href="vbscript:x">z</a><p>Ann</p>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a><img src="data:image/svg+xml;base64,PHN2Zz4="><p>Ann</p>',
  '<p style="background:url(//evil)">Ann</p><p style="width: expression(alert(1))">x</p><p style="background:\\75rl(//evil)">y</p>',
  '<p style="position: fixed; top: 0">Ann</p>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript><p>Ann</p>',
  '<xmp><p>Ann</p></xmp><template><script>alert(1)</script></template>',
];
const HARMFUL = new RegExp(
  `<(?:${'script style svg math iframe object embed form input meta base link template'.replaceAll(' ', '|')})|` +
    'javascript:|vbscript:|data:text|svg\\+xml|\\bon\\w+\\s*=|url\\(|expression|position',
  'i',
);

test('nothing that acts is left, whatever it was wrapped in, and the words stay', () => {
  for (const html of EVIL) {
    const { html: clean } = cleanBody(html);
    assert.doesNotMatch(clean, HARMFUL, html);
    assert.match(clean, /Ann/, html);
  }
});

test('what shows stays: tables, colours, links that open apart, pictures of every allowed kind', () => {
  const kept = cleanBody(
    '<html><head><title>T</title></head><body><table cellpadding="2"><tr><td colspan="2" style="color:#333;padding:4px">Hi</td></tr></table>' +
      '<a href="https://x.test/?a=1&amp;b=2" target="_self">link</a><a href="mailto:a@b.test">mail</a>' +
      '<img src="https://x.test/pixel.gif" width="1" height="1"><img src="cid:logo@x"><img src="data:image/png;base64,iVBORw0="></body></html>',
  ).html;
  for (const part of [
    'cellpadding="2"',
    'colspan="2"',
    'color:#333;padding:4px',
    'href="https://x.test/?a=1&amp;b=2"',
    'rel="noopener noreferrer nofollow"',
    'mailto:a@b.test',
    'pixel.gif',
    'cid:logo@x',
    'data:image/png;base64,iVBORw0=',
  ]) {
    assert.ok(kept.includes(part), `${part} in ${kept}`);
  }
  assert.ok(!kept.includes('_self') && !kept.includes('<title'));
});

test('cleaning what is clean changes nothing, and random marks never become more', () => {
  const piece = fc.constantFrom(
    '<p>',
    '</p>',
    '<a href="',
    '">',
    "'",
    '<img src=',
    ' onerror=alert(1)',
    '<!--',
    '-->',
    '<svg>',
    'style="',
    'x',
    '<',
    '>',
    '&lt;',
    ';',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const { html } = cleanBody(pieces.join(''));
      assert.equal(cleanBody(html).html, html);
      // Within quotes a handler is only a word.
      assert.doesNotMatch(html.replaceAll(/"[^"]*"/g, '""'), /<svg|<[^>]*\son\w+=/i);
    }),
  );
});

test('a mail of nothing but tags takes no longer than its limit', async () => {
  const cost = await costOf(() => assert.ok(cleanBody('<div>'.repeat(200_000)).truncated));
  assert.ok(cost < 90, `${cost}`);
});
