/** An argument of a command: an atom, a string or a literal as its text (latin1), a parenthesized list as an array. */
export type Token = string | Token[];

/** Split the text of a command. Literals were already put in place of their markers, as quoted strings are: in `literals`, by NUL and index. */
export function tokenize(line: string, literals: readonly Buffer[]): Token[] {
  const stack: Token[][] = [[]];
  const put = (token: Token) => stack.at(-1)?.push(token);
  let at = 0;
  while (at < line.length) {
    const sign = line[at];
    if (sign === ' ') at += 1;
    else if (sign === '(') {
      stack.push([]);
      at += 1;
    } else if (sign === ')') {
      const list = stack.pop() ?? [];
      if (stack.length === 0) stack.push([]);
      put(list);
      at += 1;
    } else {
      const [text, next] = sign === '"' ? quoted(line, at) : sign === '\0' ? literal(line, at, literals) : atom(line, at);
      put(text);
      at = next;
    }
  }
  return stack[0] ?? [];
}

function quoted(line: string, at: number): [string, number] {
  let text = '';
  let next = at + 1;
  while (next < line.length && line[next] !== '"') {
    if (line[next] === '\\') next += 1;
    text += line[next] ?? '';
    next += 1;
  }
  return [text, next + 1];
}

function literal(line: string, at: number, literals: readonly Buffer[]): [string, number] {
  const end = line.indexOf('\0', at + 1);
  return [literals[Number(line.slice(at + 1, end))]?.toString('latin1') ?? '', end + 1];
}

/** An atom; spaces and parentheses between brackets belong to it, as in `BODY[HEADER.FIELDS (FROM)]`. */
function atom(line: string, at: number): [string, number] {
  let depth = 0;
  let next = at;
  while (next < line.length) {
    const sign = line[next] ?? '';
    if (sign === '[') depth += 1;
    else if (sign === ']') depth -= 1;
    else if (depth <= 0 && (sign === ' ' || sign === '(' || sign === ')')) break;
    next += 1;
  }
  return [line.slice(at, next), Math.max(next, at + 1)];
}

/** The test for a sequence set such as `1,5:7,9:*`; `last` is what `*` stands for. As in RFC 3501, `9:*` holds `last` even where that is below 9. */
export function inSet(set: string, last: number): (number: number) => boolean {
  const ranges = set.split(',').map((range) => {
    const [from = 0, to = from] = range.split(':').map((end) => (end === '*' ? last : Number(end)));
    return { from: Math.min(from, to), to: Math.max(from, to) };
  });
  return (number) => ranges.some(({ from, to }) => number >= from && number <= to);
}
