// A template read once: a flat list of steps that a render runs through from first to last.
import { lex, PROBLEM_LIMIT, type Token } from './lex.ts';

/** `choose` goes to one of its options (places in the list); an option ends in a `jump` behind the last. All go forward only. */
export type Step =
  | { kind: 'text'; text: string }
  | { kind: 'value'; path: readonly string[]; fallback: string | null }
  | { kind: 'choose'; draw: number; options: number[] }
  | { kind: 'jump'; to: number };

/** `problems` are for people: what the writer surely did not mean, with the place in the source (UTF-16 units from 0); at most 100 of them. */
export type Template = { steps: readonly Step[]; problems: readonly string[] };

/**
 * Reads a template; never throws. In time linear in the source, without recursion.
 *
 * - `{{name}}`, `{{ a.b }}`, `{{name | default: "there"}}` (either quotes; a backslash takes the next character as it is). Names are letters, digits,
 *   `_` and `-`, parted by dots. Anything else between `{{` and `}}` is a problem and stays literal.
 * - `{a|b|c}` is spintax when the braces balance on one line and a `|` stands directly between them; options may be empty, nest and hold
 *   placeholders. Every other brace or bar is literal: `a{color:red}`, blocks of several lines, all between `<style>` and `</style>`.
 * - `{{` that nothing closes is a problem and stays literal.
 */
export function parseTemplate(source: string): Template {
  const { tokens, problems } = lex(source);
  const spintax = matchSpintax(tokens);
  for (let i = 0; i < tokens.length && problems.length < 2 * PROBLEM_LIMIT; i++) {
    const token = tokens[i] as Token;
    if (token.kind === 'open' && token.placeholder && spintax[i] === 0) problems.push({ at: token.at - 1, text: 'unclosed placeholder' });
  }
  problems.sort((a, b) => a.at - b.at);
  return {
    steps: assemble(source, tokens, spintax),
    problems: problems.slice(0, PROBLEM_LIMIT).map(({ at, text }) => `${text} at ${at}`),
  };
}

/** The names that a template asks for, dotted, each once, in order of appearance, whichever options a render would choose. */
export function variables(template: Template): string[] {
  return [...new Set(template.steps.flatMap((step) => (step.kind === 'value' ? [step.path.join('.')] : [])))];
}

/** 1 for every token that makes spintax: braces that balance on one line with a bar directly between them, and those bars. */
function matchSpintax(tokens: readonly Token[]): Uint8Array {
  const spintax = new Uint8Array(tokens.length);
  const open: { brace: number; bars: number[] | null }[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const kind = (tokens[i] as Token).kind;
    if (kind === 'open') {
      open.push({ brace: i, bars: null });
    } else if (kind === 'line') {
      open.length = 0;
    } else if (kind === 'bar') {
      const group = open.at(-1);
      if (group) (group.bars ??= []).push(i);
    } else if (kind === 'close') {
      const group = open.pop();
      if (group?.bars) for (const member of [group.brace, i].concat(group.bars)) spintax[member] = 1;
    }
  }
  return spintax;
}

/** Steps of the tokens, literals in a row joined. Groups nest by their own stack; draws are numbered by where the group opens. */
function assemble(source: string, tokens: readonly Token[], spintax: Uint8Array): Step[] {
  const steps: Step[] = [];
  const groups: { options: number[]; jumps: { kind: 'jump'; to: number }[] }[] = [];
  let draws = 0;
  let literal = 0;
  for (const [i, token] of tokens.entries()) {
    if (token.kind !== 'value' && spintax[i] === 0) continue;
    if (token.at > literal) steps.push({ kind: 'text', text: source.slice(literal, token.at) });
    literal = token.end;
    if (token.kind === 'value') {
      steps.push({ kind: 'value', path: token.path, fallback: token.fallback });
    } else if (token.kind === 'open') {
      const options = [steps.length + 1];
      steps.push({ kind: 'choose', draw: draws++, options });
      groups.push({ options, jumps: [] });
    } else {
      const group = groups.at(-1);
      if (!group) throw new Error('spintax without an opening brace');
      const jump = { kind: 'jump' as const, to: 0 };
      if (token.kind === 'bar') {
        steps.push(jump);
        group.jumps.push(jump);
        group.options.push(steps.length);
      } else {
        for (const one of group.jumps) one.to = steps.length;
        groups.pop();
      }
    }
  }
  if (literal < source.length) steps.push({ kind: 'text', text: source.slice(literal) });
  return steps;
}
