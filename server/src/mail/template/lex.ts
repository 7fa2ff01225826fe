// A template's source as tokens: literal text, placeholders, and the braces and bars that may turn out to be spintax.

export type Token = { at: number; end: number } & (
  | { kind: 'text' }
  | { kind: 'value'; path: string[]; fallback: string | null }
  | { kind: 'open'; placeholder: boolean }
  | { kind: 'bar' | 'close' | 'line' }
);

/** Problems that are reported of one template. */
export const PROBLEM_LIMIT = 100;

/** `{{ path }}` or `{{ path | default: "text" }}`; the quoted text may hold its own quote, or a backslash, behind a backslash. */
const NAME = '[\\p{L}\\p{M}\\p{N}_-]+';
const QUOTED = `"([^"\\\\]*(?:\\\\.[^"\\\\]*)*)"|'([^'\\\\]*(?:\\\\.[^'\\\\]*)*)'`;
const PLACEHOLDER = new RegExp(`\\{\\{\\s*(${NAME}(?:\\.${NAME})*)\\s*(?:\\|\\s*default\\s*:\\s*(?:${QUOTED})\\s*)?\\}\\}`, 'suy');
const NO_PLACEHOLDER = /\{\{[^{}]*\}\}/y;
const STYLE_TAG = /<(\/?)style\b/giy;
const OPEN = '{'.charCodeAt(0);
const KIND_OF = { '|': 'bar', '}': 'close', '\n': 'line' } as const;

/**
 * Tokens that cover the source without a gap. The last two braces of a run may begin a placeholder. Two that begin none, though a `}}` follows, are
 * reported and stay literal; two that nothing closes come as `open` with `placeholder` set. Inside `<style>` braces and bars are text: CSS.
 */
export function lex(source: string): { tokens: Token[]; problems: { at: number; text: string }[] } {
  const tokens: Token[] = [];
  const problems: { at: number; text: string }[] = [];
  const special = /[{}|\n<]/g;
  let css = false;
  let at = 0;
  for (let found = special.exec(source); found !== null; found = special.exec(source)) {
    const start = found.index;
    if (start > at) tokens.push({ kind: 'text', at, end: start });
    const mark = found[0] as '{' | '}' | '|' | '\n' | '<';
    if (mark === '{') {
      at = lexBraces(source, start, css, tokens, problems);
    } else if (mark === '<') {
      const tag = matchAt(STYLE_TAG, source, start);
      if (tag) css = tag[1] === '';
      at = start + (tag ? tag[0].length : 1);
      tokens.push({ kind: 'text', at: start, end: at });
    } else {
      at = start + 1;
      tokens.push({ kind: css && mark !== '\n' ? 'text' : KIND_OF[mark], at: start, end: at });
    }
    special.lastIndex = at;
  }
  if (at < source.length) tokens.push({ kind: 'text', at, end: source.length });
  return { tokens, problems };
}

/** The run of `{` that begins at `start`, and what the last two of them begin; answers where it ends. */
function lexBraces(source: string, start: number, css: boolean, tokens: Token[], problems: { at: number; text: string }[]): number {
  let runEnd = start;
  while (source.charCodeAt(runEnd) === OPEN) runEnd++;
  const inner = runEnd - 2;
  const value = inner >= start ? matchAt(PLACEHOLDER, source, inner) : null;
  const wrong = inner >= start && !value && !css ? matchAt(NO_PLACEHOLDER, source, inner) : null;
  const bracesEnd = value || wrong ? inner : runEnd;
  for (let i = start; i < bracesEnd; i++) {
    tokens.push(css ? { kind: 'text', at: i, end: i + 1 } : { kind: 'open', placeholder: i === runEnd - 1 && inner >= start, at: i, end: i + 1 });
  }
  if (value) {
    const quoted = value[2] ?? value[3];
    const fallback = quoted === undefined ? null : quoted.replace(/\\(.)/gs, '$1');
    tokens.push({ kind: 'value', path: (value[1] as string).split('.'), fallback, at: inner, end: inner + value[0].length });
  } else if (wrong) {
    if (problems.length < PROBLEM_LIMIT) problems.push({ at: inner, text: `not a placeholder: ${JSON.stringify(wrong[0].slice(0, 60))}` });
    tokens.push({ kind: 'text', at: inner, end: inner + wrong[0].length });
  }
  return tokens.at(-1)?.end ?? runEnd;
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}
