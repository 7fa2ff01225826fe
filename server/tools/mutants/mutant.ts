// A guard of the product taken away: which text of which file is replaced by what, and the tests that must notice.

/** A text that stands once in its file (from the repository's root), and what is put in its place. */
export type Edit = { file: string; text: string; by: string };

export type Mutant = {
  guard: string;
  /** What it protects, in one sentence. */
  protects: string;
  edits: readonly [Edit, ...Edit[]];
  /** Where guards stand in for each other, so that they are taken away together: how. */
  pair?: string;
  /** The titles of the tests that must fail without it, by their file. */
  killedBy: Readonly<Record<string, readonly string[]>>;
};

/** Put `by` in the place of `text`, which nothing replaces by default. */
export const edit = (file: string, text: string, by = ''): Edit => ({ file, text, by });

/** The text of an edit's file without the guard. Throws when what is to be replaced does not stand there exactly once. */
export function edited(source: string, { file, text, by }: Edit): string {
  const parts = source.split(text);
  if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times, not once: ${text}`);
  if (text === by) throw new Error(`${file}: nothing is changed by: ${text}`);
  return parts.join(by);
}

/** The files of a mutant as they are without the guard, by path. `read` gives a file as it is. */
export function mutated({ edits }: Pick<Mutant, 'edits'>, read: (file: string) => string): Map<string, string> {
  const files = new Map<string, string>();
  for (const edit of edits) files.set(edit.file, edited(files.get(edit.file) ?? read(edit.file), edit));
  return files;
}
