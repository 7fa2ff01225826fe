// A copy of the working tree in which guards can be taken away; the tree itself stays as it is.
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Mutant, mutated } from './mutant.ts';

const LEFT_OUT = new Set(['node_modules', 'dist']);

/** Copy the sources of `root` as they stand, committed or not, into the empty folder `into`. Packages are linked, but not the tree's own. */
export function copyTree(root: string, into: string): void {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { workspaces: string[] };
  const files = readdirSync(root, { withFileTypes: true }).flatMap((one) => (one.isFile() ? one.name : []));
  for (const name of [...files, ...workspaces, 'docs']) {
    cpSync(join(root, name), join(into, name), { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
  }
  const packages = join(into, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const from = join(root, 'node_modules', name);
    // Its links are relative, and so lead to the copies.
    if (name === '@postrider') cpSync(from, join(packages, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(from, join(packages, name));
  }
}

const reader = (folder: string) => (file: string) => readFileSync(join(folder, file), 'utf8');

/** Take a guard away in `folder`; the answer puts it back. */
export function applyTo(folder: string, mutant: Mutant): () => void {
  const read = reader(folder);
  const before = new Map(mutant.edits.map(({ file }) => [file, read(file)]));
  const write = (files: ReadonlyMap<string, string>) => {
    for (const [file, text] of files) writeFileSync(join(folder, file), text);
  };
  write(mutated(mutant, read));
  return () => write(before);
}

/** Write a mutant's TypeScript files beside their originals, which they leave as they are; answers their paths. */
export function writeBeside(folder: string, mutant: Mutant): string[] {
  return [...mutated(mutant, reader(folder))].flatMap(([file, text]) => {
    if (!file.endsWith('.ts')) return [];
    const path = join(folder, file.replace(/\.ts$/, `.${mutant.guard}.ts`));
    writeFileSync(path, text);
    return [path];
  });
}
