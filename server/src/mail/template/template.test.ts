import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { costOf } from '#testing/cost.ts';
import { oneLine } from './one-line.ts';
import { parseTemplate, variables } from './parse-template.ts';
import { render, RENDER_LIMIT, TemplateTooLarge } from './render.ts';

const filled = (source: string, ...sources: object[]) => render(parseTemplate(source), { sources, escapeHtml: false, seed: 's' });
const text = (source: string, ...sources: object[]) => filled(source, ...sources).text;
/** Every text that some seed gives. */
const outcomes = (source: string, sources: object[] = []) => {
  const template = parseTemplate(source);
  return new Set(Array.from({ length: 200 }, (_, i) => render(template, { sources, escapeHtml: false, seed: `s${i}` }).text));
};

describe('placeholders', () => {
  test('take the first scalar that a source has of its own', () => {
    const name = { name: 'Sam' };
    for (const source of ['{{name}}', '{{ name }}', '{{\n name\t}}']) assert.equal(text(source, name), 'Sam');
    assert.equal(text('{{name}}', {}, { name: null }, { name: [] }, { name: {} }, name, { name: 'late' }), 'Sam');
    assert.equal(
      text('{{a}} {{b}} {{c.d.e}} {{prénom}} {{x-y}}', { a: 0, b: false, c: { d: { e: 1.5 } }, prénom: 'Zoé', 'x-y': '' }),
      '0 false 1.5 Zoé ',
    );
    assert.deepEqual(filled('{{a}}{{a.b}}{{c}}{{a}}', { a: { b: {} }, c: undefined }), { text: '', unresolved: ['a', 'a.b', 'c'] });
  });

  test('never see a prototype, an array or a text from inside', () => {
    const names = [
      'constructor',
      '__proto__',
      'toString',
      'a.constructor',
      'a.__proto__.x',
      'list.length',
      'list.0',
      'word.length',
      'hasOwnProperty.name',
    ];
    for (const name of names) assert.deepEqual(filled(`{{${name}}}`, { a: {}, list: ['x'], word: 'x' }), { text: '', unresolved: [name] }, name);
    assert.deepEqual(filled('{{a}}{{b.a}}', Object.create({ a: 'inherited' }) as object, { b: Object.create({ a: 'inherited' }) }).unresolved, [
      'a',
      'b.a',
    ]);
    assert.equal(text('{{__proto__}}', JSON.parse('{"__proto__": "own"}') as object), 'own');
    assert.equal(text('{{toString}}', Object.create(null) as object, { toString: 'own' }), 'own');
  });

  test('a default stands in for the absent and the blank', () => {
    assert.equal(text('{{name | default: "there"}}', {}), 'there');
    assert.equal(text("{{name|default:'it\\'s \\\\ }} {a|b}'}}", { name: ' ' }), "it's \\ }} {a|b}");
    assert.equal(text('{{name | default: ""}}!', { name: null }), '!');
    assert.equal(text('{{name | default: "there"}}', { name: 'Sam' }), 'Sam');
    assert.deepEqual(filled('{{name}}', { name: '' }).unresolved, []);
  });

  test('what is none stays literal and is reported', () => {
    const cases: [string, string[]][] = [
      ['{{First Name}}', ['not a placeholder: "{{First Name}}" at 0']],
      ['Hi {{}}', ['not a placeholder: "{{}}" at 3']],
      ['{{name | upper}}', ['not a placeholder: "{{name | upper}}" at 0']],
      ['{{a..b}}', ['not a placeholder: "{{a..b}}" at 0']],
      ['Hi there, the {{name', ['unclosed placeholder at 14']],
      ['{{name} x', ['unclosed placeholder at 0']],
      ['a }} b { c | d }', []],
    ];
    for (const [source, problems] of cases) {
      const template = parseTemplate(source);
      assert.deepEqual(template.problems, problems, source);
      if (problems.length > 0) assert.equal(render(template, { sources: [{ name: 'x' }], escapeHtml: false, seed: '' }).text, source);
    }
  });

  test('values are escaped in HTML, and never read as template', () => {
    const template = parseTemplate('<p>{{a}} {{b | default: "<i>"}}</p>');
    const html = render(template, { sources: [{ a: `<b>&"'` }], escapeHtml: true, seed: '' }).text;
    assert.equal(html, '<p>&lt;b&gt;&amp;&quot;&#39; &lt;i&gt;</p>');
    assert.equal(text('{{a}}', { a: '{{b}} {x|y}', b: 'no' }), '{{b}} {x|y}');
  });

  test('values cannot break a single line', () => {
    const template = parseTemplate('Re: {{a}}');
    const subject = render(template, { sources: [{ a: 'x\r\nBcc: y@z\u0000\u0085\u2028.' }], escapeHtml: false, seed: '', singleLine: true }).text;
    assert.equal(subject, 'Re: x Bcc: y@z .');
    assert.equal(oneLine('a\t\r\n b'), 'a  b');
  });
});

describe('spintax', () => {
  test('gives each option, nested and with placeholders', () => {
    assert.deepEqual(outcomes('{Hi|Hello|}!'), new Set(['Hi!', 'Hello!', '!']));
    assert.deepEqual(
      outcomes('{{a|b}|{c|d}} {x|{y|z}}'),
      new Set(['a', 'b', 'c', 'd'].flatMap((one) => ['x', 'y', 'z'].map((two) => `${one} ${two}`))),
    );
    assert.deepEqual(outcomes('{{{name}}|{{other | default: "you|me"}}}', [{ name: 'Sam' }]), new Set(['Sam', 'you|me']));
    assert.deepEqual(outcomes('{Hey {{name}}|Yo}', [{ name: 'Sam' }]), new Set(['Hey Sam', 'Yo']));
  });

  test('options are drawn about equally, and the n-th group of two templates alike', () => {
    const template = parseTemplate('{a|b|c}{a|b|c}');
    const drawn = Array.from({ length: 3000 }, (_, i) => render(template, { sources: [], escapeHtml: false, seed: `s${i}` }).text);
    for (const pair of ['aa', 'ab', 'ac', 'ba', 'bb', 'bc', 'ca', 'cb', 'cc']) {
      const count = drawn.filter((one) => one === pair).length;
      assert.ok(count > 250 && count < 420, `${pair}: ${count}`);
    }
    const html = parseTemplate('<p>{a|b|c}</p>{a|b|c}');
    drawn.slice(0, 50).forEach((one, i) => {
      assert.equal(render(html, { sources: [], escapeHtml: true, seed: `s${i}` }).text.replace(/<\/?p>/g, ''), one);
    });
  });

  test('leaves every other brace and bar alone', () => {
    const literal = [
      'a{color:red}',
      '{',
      '}',
      '|',
      'a|b',
      '{a|b',
      'a|b}',
      '{a|\nb}',
      '{\n  "a": {"b": "c"}|\n}',
      '}{',
      '{}',
      '{{}',
      '{a{b}c}',
      '{"a|b',
    ];
    literal.push('<style>p:before{content:"|"} @media x{a{b:c|d}}</style>', '<STYLE type="text/css">.a{b|c}</STYLE>');
    for (const source of literal) assert.deepEqual(outcomes(source), new Set([source]), source);
    assert.deepEqual(outcomes('<style>{a|b}</style>{a|a}'), new Set(['<style>{a|b}</style>a']));
    assert.deepEqual(outcomes('{{x} {a|a}'), new Set(['{{x} a']));
  });
});

describe('any template', () => {
  const soup = fc.array(
    fc.constantFrom(
      '{',
      '{{',
      '}',
      '}}',
      '|',
      '\n',
      'a',
      'b.c',
      ' ',
      '{{a}}',
      '{{a | default: "x"}}',
      '{x|y}',
      '"',
      '\\',
      '<style>',
      '</style>',
      'é',
    ),
    { maxLength: 40 },
  );

  test('without braces is its own text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((one) => !one.includes('{')),
        (source) => assert.equal(text(source), source),
      ),
    );
  });

  test('parses, renders alike for a seed, and names what it leaves unresolved', () => {
    fc.assert(
      fc.property(soup, fc.string(), (pieces, seed) => {
        const source = pieces.join('');
        const template = parseTemplate(source);
        const options = { sources: [], escapeHtml: false, seed };
        const first = render(template, options);
        assert.deepEqual(render(parseTemplate(source), options), first);
        assert.ok(first.unresolved.every((name) => variables(template).includes(name)));
        if (template.steps.every((step) => step.kind === 'text')) assert.equal(first.text, source);
      }),
      { numRuns: 1000 },
    );
  });

  test('names its variables once, chosen or not', () => {
    assert.deepEqual(variables(parseTemplate('{{a}} {x {{b.c}}|y {{ a }}} {{d | default: "e"}} {{not one}}')), ['a', 'b.c', 'd']);
  });

  test('is stopped at a mebibyte', () => {
    const half = 'é'.repeat(RENDER_LIMIT / 4);
    assert.equal(text('{{a}}{{a}}', { a: half }).length, RENDER_LIMIT / 2);
    assert.throws(() => text('{{a}}{{a}}.', { a: half }), TemplateTooLarge);
    assert.throws(() => text('{{a}}'.repeat(20_000), { a: 'x'.repeat(100_000) }), TemplateTooLarge);
    assert.throws(() => text('x'.repeat(RENDER_LIMIT + 1)), TemplateTooLarge);
  });

  test('takes time linear in its length, however it nests', async () => {
    const units = [
      '{',
      '{{{|',
      '{|',
      '{{a',
      '{{a|default:"',
      '{{a|default:"\\"',
      "{{a|default:'",
      '{{ ',
      '{{a.',
      '}',
      '|',
      '<style',
      '{a|',
      '{{a b}}',
      '\n{',
      '{{{a}}|',
      '{a|{{',
    ];
    const took: string[] = [];
    const cost = await costOf(() => {
      for (const unit of units) {
        const began = performance.now();
        text(unit.repeat(Math.ceil(100_000 / unit.length)));
        took.push(`${unit}: ${Math.round(performance.now() - began)} ms`);
      }
    });
    // All together come to about 5; a single one in quadratic time would come to a hundred.
    assert.ok(cost < 40, `${cost}: ${took.join(', ')}`);
    const nested = `${'{a|'.repeat(50_000)}b${'}'.repeat(50_000)}`;
    assert.match(text(nested), /^[ab]$/);
  });
});
