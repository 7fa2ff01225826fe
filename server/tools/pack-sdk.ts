// The SDK as npm ships it: ECMAScript modules and their types, in sdk/dist. `npm run pack-sdk`.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SDK = resolve(import.meta.dirname, '../../sdk');
const TSC = resolve(import.meta.dirname, '../../node_modules/.bin/tsc');
const OPTIONS = [
  '--module', 'nodenext', '--target', 'es2023', '--lib', 'esnext,dom,dom.iterable', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck',
  '--declaration', '--rewriteRelativeImportExtensions', '--types', '', '--ignoreConfig',
]; // prettier-ignore

/** Build the package into `folder`, which is emptied first. */
export function packSdk(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  execFileSync(process.execPath, [TSC, ...OPTIONS, '--outDir', folder, '--rootDir', join(SDK, 'src'), join(SDK, 'src/index.ts')], { stdio: 'pipe' });
  // The compiler leaves the endings of imports in declarations as they are written.
  for (const name of globSync('**/*.d.ts', { cwd: folder })) {
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.replaceAll(/(from |import\()(['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1$2.js$3'));
  }
  const { name, version, description, license } = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8')) as Record<string, string>;
  const exports = { '.': { types: './index.d.ts', default: './index.js' } };
  const manifest = { name, version, description, license, type: 'module', sideEffects: false, exports };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(SDK, 'README.md'), join(folder, 'README.md'));
}

if (import.meta.main) {
  packSdk(join(SDK, 'dist'));
  console.log('sdk/dist is what npm ships: cd sdk/dist && npm publish');
}
