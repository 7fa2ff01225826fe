import { stripTypeScriptTypes } from 'node:module';

export type Import = { to: string; line: number; typeOnly: boolean };
/** A file cut apart, each part as long as the file, with blanks where the other parts are; in the code, strings are rows of quotation marks. */
export type Source = { path: string; text: string; code: string; strings: string; comments: string; imports: Import[] };

type Kind = 'code' | 'strings' | 'comments';

// In order: comments, plain strings, the start of a template, regular expressions (told from a division by what stands before), brackets.
const TOKEN = /\/\/.*|\/\*[^]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`|\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*|[{}]/g;
const TEMPLATE_PART = /(?:\\[^]|\$(?!\{)|[^\\`$])*(?:`|\$\{)/y;
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+>]|\b(?:return|case|of|in))\s*$/;

/** Cut TypeScript, JavaScript or SQL into code, strings and comments. */
export function sourceOf(path: string, text: string): Source {
  if (path.endsWith('.sql')) return { path, text, code: '', strings: text.replace(/--.*/g, (part) => blank(part)), comments: '', imports: [] };
  if (!/\.(?:ts|tsx|mjs)$/.test(path)) return { path, text, code: '', strings: '', comments: '', imports: [] };
  const marks = cut(text);
  const only = (kind: Kind) => marks.map(([part, its]) => (its === kind ? part : blank(part))).join('');
  const strings = only('strings');
  const code = marks.map(([part, its]) => (its === 'code' ? part : blank(part, its === 'strings' ? '"' : ' '))).join('');
  return { path, text, code, strings, comments: only('comments'), imports: importsOf(text, code) };
}

/** The line, from 1, on which the character at `index` stands. */
export const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** The code without its types, at unchanged places, so that a bracket after `)` is a body and not a type. Undefined for what cannot be stripped. */
export function withoutTypes({ path, text }: Source): string | undefined {
  if (path.endsWith('.mjs')) return sourceOf(path, text).code;
  return path.endsWith('.ts') ? sourceOf('stripped.mjs', stripTypeScriptTypes(text)).code : undefined;
}

const blank = (part: string, filling = ' ') => part.replace(/[^\n]/g, filling);

function cut(text: string): [string, Kind][] {
  const parts: [string, Kind][] = [];
  const templates: number[] = [];
  let depth = 0;
  let done = 0;
  const put = (until: number, kind: Kind) => {
    parts.push([text.slice(done, until), kind]);
    done = until;
  };
  const template = (from: number): number => {
    TEMPLATE_PART.lastIndex = from;
    const end = TEMPLATE_PART.test(text) ? TEMPLATE_PART.lastIndex : text.length;
    if (text.slice(end - 2, end) === '${') templates.push(depth++);
    put(end, 'strings');
    return end;
  };
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found; found = TOKEN.exec(text)) {
    const [token] = found;
    const start = found.index;
    if (token === '{') depth++;
    else if (token === '}') {
      if (templates.at(-1) === --depth) {
        templates.pop();
        put(start, 'code');
        TOKEN.lastIndex = template(start + 1);
      }
    } else if (token.startsWith('//') || token.startsWith('/*')) {
      put(start, 'code');
      put(start + token.length, 'comments');
    } else if (token === '`') {
      put(start, 'code');
      TOKEN.lastIndex = template(start + 1);
    } else if (!token.startsWith('/')) {
      put(start, 'code');
      put(start + token.length, 'strings');
    } else if (BEFORE_REGEX.test(text.slice(Math.max(0, start - 40), start))) {
      put(start, 'code');
      put(start + token.length, 'strings');
    } else TOKEN.lastIndex = start + 1;
  }
  put(text.length, 'code');
  return parts;
}

/** `import … from`, `export … from`, `import '…'` and `import('…')`, types among them. */
function importsOf(text: string, code: string): Import[] {
  const found: Import[] = [];
  const clause = /(?<![.\w])(import|export)\b(?:\s+type\b(?!\s*,))?(?:[^;'"`()=]*?\bfrom)?\s*\(?\s*$/;
  for (const match of text.matchAll(/'([^'\n]+)'/g)) {
    if (code[match.index] !== '"') continue;
    const before = clause.exec(code.slice(Math.max(0, match.index - 1200), match.index));
    if (!before || (before[1] === 'export' && !/\bfrom\s*$/.test(before[0]))) continue;
    const typeOnly = /^(?:import|export)\s+type\b/.test(before[0]);
    found.push({ to: match[1] ?? '', line: lineAt(text, match.index), typeOnly });
  }
  return found;
}
