// The files that are generated, kept in git and read in review: `npm run golden` writes them, `--check` tells what has changed.
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import pg from 'pg';
import { goldenMails } from '#mail/compose/golden.ts';
import { systemClock } from '#platform/clock.ts';
import { about } from '#resources/about.ts';
import { allRoutes } from '#resources/all-routes.ts';
import { startEmbedded } from '#store/embedded/embedded.ts';
import { migrate } from '#store/migrate.ts';
import { openApiDocument } from '#web/openapi.ts';
import { VERSION } from '#web/version.ts';
import { schemaText, tablesSource } from './catalog.ts';
import { referencePages } from './reference-pages.ts';
import { sdkTypes } from './sdk-types.ts';
import { settingsPage } from './settings-page.ts';

const SERVER = join(import.meta.dirname, '..');
/** Folders of which every file is generated: one that no producer makes any more is stale. */
const WHOLE = ['golden/mail', '../docs/api'];

/** Paths relative to server/ and the text of each. */
type Files = Map<string, string>;

/** Every generated file, made anew on a database of its own. A new kind of file is one more line here. */
export async function goldenFiles(): Promise<Files> {
  const made = [await databaseFiles(), mailFiles(), await interfaceFiles()];
  return new Map(made.flatMap((files) => [...files]));
}

async function databaseFiles(): Promise<Files> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postrider-golden-'));
  try {
    const { url, stop } = await startEmbedded({ dataDir, clock: systemClock(), settings: { fsync: 'off' } });
    try {
      await migrate(url);
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        const types = await tablesSource(client);
        return new Map([['golden/schema.sql', await schemaText(client)]]).set('src/store/tables.gen.ts', types);
      } finally {
        await client.end();
      }
    } finally {
      await stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** What callers see: the OpenAPI document, and the SDK's types made from it. */
async function interfaceFiles(): Promise<Files> {
  const document = openApiDocument(allRoutes, { version: VERSION, baseUrl: 'https://postrider.example', about });
  return new Map([
    ['golden/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    ['../sdk/src/types.gen.ts', sdkTypes(document)],
    ['../docs/settings.md', settingsPage()],
    ...[...referencePages(document)].map(([name, text]) => [`../docs/api/${name}`, text] as const),
  ]);
}

function mailFiles(): Files {
  return new Map(Object.entries(goldenMails()).map(([name, text]) => [`golden/mail/${name}`, text]));
}

/** What differs between `made` and the files below `folder`: one line for a file that is new or stale, the first changed lines of another. */
export function differences(made: Files, folder: string): string[] {
  const stale = WHOLE.flatMap((dir) => globSync(`${dir}/**/*.*`, { cwd: folder })).filter((path) => !made.has(path));
  const changed = [...made].flatMap(([path, text]) => {
    const full = join(folder, path);
    return existsSync(full) ? changedLines(path, readFileSync(full, 'utf8'), text) : [`${path}: is not there yet`];
  });
  return [...stale.map((path) => `${path}: nothing makes it any more`), ...changed];
}

function changedLines(path: string, before: string, after: string): string[] {
  if (before === after) return [];
  const [old, fresh] = [before, after].map((text) => text.split('\n')) as [string[], string[]];
  const gone = old.filter((line) => !fresh.includes(line)).map((line) => `  - ${line}`);
  const added = fresh.filter((line) => !old.includes(line)).map((line) => `  + ${line}`);
  const more = gone.length + added.length - 20;
  return [`${path}: has changed`, ...[...gone, ...added].slice(0, 20), ...(more > 0 ? [`  and ${more} more lines`] : [])];
}

function write(made: Files): void {
  for (const dir of WHOLE) rmSync(join(SERVER, dir), { recursive: true, force: true });
  for (const [path, text] of made) {
    mkdirSync(dirname(join(SERVER, path)), { recursive: true });
    writeFileSync(join(SERVER, path), text);
  }
}

if (import.meta.main) {
  const made = await goldenFiles();
  const found = differences(made, SERVER);
  console.log(found.join('\n') || `${made.size} generated files are up to date.`);
  if (!process.argv.includes('--check')) write(made);
  else if (found.length) {
    console.log(`Run \`npm run golden\` and read the difference of ${relative(process.cwd(), SERVER) || '.'}.`);
    process.exitCode = 1;
  }
}
