import type { Route } from './route.ts';

const VERBS = { GET: 'retrieve', POST: 'create', PATCH: 'update', PUT: 'replace', DELETE: 'delete' } as const;

/**
 * The name of an operation, from its line: listContacts, createContact, retrieveContact, startCampaign, reorderSequenceSteps,
 * createContactBatch. `spec.operationId` goes first.
 */
export function operationIdOf({ method, path, spec }: Route): string {
  if (spec.operationId !== undefined) return spec.operationId;
  const segments = path.split('/').slice(2);
  const names = segments.filter((one) => !isParameter(one));
  const last = segments.at(-1) ?? '';
  // Whatever an id follows is one thing of its kind.
  const nouns = names.map((name) => (isParameter(segments[segments.indexOf(name) + 1] ?? '') ? singular(name) : name));
  if (isParameter(last)) return named(VERBS[method], nouns);
  const before = nouns.slice(0, -1);
  if (method === 'GET') return named(isPlural(last) ? 'list' : 'retrieve', nouns);
  if (method !== 'POST') return named(VERBS[method], nouns);
  if (isPlural(last)) return named('create', [...before, singular(last)]);
  if (last === 'batch') return named('create', [...before.map(singular), 'batch']);
  return named(last, before);
}

/** What the reference says of an operation below its summary: the route's own words, and what its declaration asks of callers. */
export function descriptionOf({ method, spec }: Route): string {
  const says = [
    spec.description,
    `Needs a key of scope \`${spec.scope}\` or wider.`,
    spec.confirm === true ? 'Needs `confirm=true`, unless the key confirms by itself.' : undefined,
    spec.confirm === 'at times' ? 'Needs `confirm=true` where the call cannot be undone, unless the key confirms by itself.' : undefined,
    spec.upload ? 'The file comes as a form, as itself or inside JSON, up to 50 MiB.' : undefined,
    spec.secret ? 'The answer shows a secret once: repeating the call with its Idempotency-Key is refused with 409 and names the object.' : undefined,
    method !== 'GET' && !spec.secret ? 'With an Idempotency-Key, repeating the call repeats its answer and not its effect.' : undefined,
  ];
  return says.filter((one) => one !== undefined).join('\n\n');
}

/** The heading under which an operation stands in the reference. */
export function tagOf({ path }: Pick<Route, 'path'>): string {
  const noun = (path.split('/')[2] ?? '').replaceAll('_', ' ').replace(/^api\b/, 'API');
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}

const isParameter = (segment: string) => segment.startsWith('{');
const isPlural = (word: string) => /[^us]s$/.test(word);
const singular = (word: string) =>
  word
    .replace(/ies$/, 'y')
    .replace(/xes$/, 'x')
    .replace(/([^us])s$/, '$1');
const named = (verb: string, nouns: readonly string[]) =>
  [verb, ...nouns].join('_').replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
