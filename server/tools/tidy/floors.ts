// Who may import whom. Rooms are the folders of server/src; slices are the folders of resources/ and engine/.
import { posix } from 'node:path';
import type { Problem } from './problem.ts';
import type { Import, Source } from './source.ts';

const BELOW: Record<string, string[]> = {
  platform: [],
  store: ['platform'],
  mail: ['platform'],
  world: ['platform', 'store', 'mail'],
  web: ['platform', 'store', 'world'],
  resources: ['platform', 'store', 'mail', 'world', 'web'],
  engine: ['platform', 'store', 'mail', 'world', 'resources'],
};
/** These wire everything together. */
const WIRING = new Set(['roles', 'testing']);
const NETWORK = /^(?:node:)?(?:net|tls|https?|http2|dgram|dns)(?:\/.*)?$|^undici$/;

type Place = { workspace: string; room: string; slice: string; rest: string };

/** Where a file stands: server/src/<room>/<slice>/<rest>; elsewhere the room is empty. */
export function placeOf(path: string): Place {
  const [workspace = '', top = '', room = '', slice = '', ...rest] = path.split('/');
  if (workspace !== 'server' || top !== 'src' || slice === '') return { workspace, room: '', slice: '', rest: '' };
  return rest.length ? { workspace, room, slice, rest: rest.join('/') } : { workspace, room, slice: '', rest: slice };
}

export const isTest = (path: string): boolean => /\.(?:test|fixture)\.tsx?$/.test(path) || /^(?:sdk|cli|dashboard)\/test\//.test(path);

/** The file that an import means, from the repository's root; undefined for a package. */
export function targetOf(from: string, to: string): string | undefined {
  if (to.startsWith('#')) return `server/src/${to.slice(1)}`;
  return to.startsWith('.') ? posix.join(posix.dirname(from), to) : undefined;
}

/** The problems of each import of one file. */
export function importProblems(source: Source): Problem[] {
  const { path } = source;
  return source.imports.flatMap((one) => {
    const target = targetOf(path, one.to);
    const found = target === undefined ? packageProblem(path, one) : fileProblem(path, one, target);
    return found ? [{ ...found, path, line: one.line }] : [];
  });
}

type Found = { rule: string; text: string } | undefined;

function packageProblem(path: string, { to, typeOnly }: Import): Found {
  const { workspace, room } = placeOf(path);
  if (workspace === 'sdk' && path.startsWith('sdk/src/') && !isTest(path)) return { rule: 'sdk', text: `the SDK imports nothing, not ${to}` };
  if (room === '' || typeOnly || isTest(path) || room === 'testing') return undefined;
  if (NETWORK.test(to) && !path.startsWith('server/src/platform/egress')) return { rule: 'network', text: `only platform/egress may import ${to}` };
  if (/^@?fastify\b/.test(to) && room !== 'web') return { rule: 'network', text: `only web may import ${to}` };
  return undefined;
}

function fileProblem(path: string, { to }: Import, target: string): Found {
  const from = placeOf(path);
  const into = placeOf(target);
  if (from.workspace !== into.workspace) return { rule: 'floor', text: `${from.workspace} may not import ${to}` };
  if (from.room === '' || target.endsWith('.json')) return undefined;
  if (from.room !== into.room) {
    if (to.startsWith('.')) return { rule: 'floor', text: `write #${into.room}/…, not ${to}, across rooms` };
    const free = WIRING.has(from.room) || isTest(path);
    if (!free && !BELOW[from.room]?.includes(into.room)) return { rule: 'floor', text: `${from.room} may not import ${into.room}` };
    if (into.room === 'web' && from.room === 'resources' && from.slice && !free && !/^(?:routes|(?:[a-z]+-)?wire)\.ts$/.test(from.rest)) {
      return { rule: 'web', text: 'only routes.ts and wire.ts know HTTP' };
    }
  } else if (to.startsWith('#') && (from.room !== 'resources' || from.slice === into.slice)) {
    return { rule: 'floor', text: `write a relative path, not ${to}, inside a room` };
  }
  return sliceProblem(path, from, into);
}

function sliceProblem(path: string, from: Place, into: Place): Found {
  if (from.room === into.room && from.slice === into.slice) return undefined;
  if (into.room === 'engine' && from.room === 'engine' && from.slice && into.slice && !isTest(path)) {
    return { rule: 'loop', text: `no loop may import another (${into.slice})` };
  }
  if (into.room !== 'resources' || !into.slice || into.rest === 'index.ts') return undefined;
  const wires = WIRING.has(from.room) || (from.room === 'resources' && from.slice === '') || isTest(path);
  if (wires && into.rest === 'routes.ts') return undefined;
  return { rule: 'door', text: `enter ${into.slice} by its door (index.ts)` };
}

/** Circles among slices of resources/, types among them, and circles among the files of one room or slice, as they are loaded. */
export function cycleProblems(sources: Source[]): Problem[] {
  const slices = new Map<string, Set<string>>();
  const files = new Map<string, Set<string>>();
  const link = (graph: Map<string, Set<string>>, from: string, to: string) => graph.set(from, (graph.get(from) ?? new Set()).add(to));
  for (const { path, imports } of sources) {
    if (isTest(path)) continue;
    const from = placeOf(path);
    for (const one of imports) {
      const target = targetOf(path, one.to);
      const into = target && placeOf(target);
      if (!into || into.room !== from.room) continue;
      if (into.slice !== from.slice && from.room === 'resources' && from.slice && into.slice) link(slices, from.slice, into.slice);
      if (into.slice === from.slice && !one.typeOnly) link(files, path, target);
    }
  }
  const say = (cycle: string[], path: string) => ({ rule: 'cycle', path, line: 1, text: `goes in a circle: ${cycle.join(' → ')}` });
  return [
    ...cyclesOf(slices).map((cycle) => say(cycle, `server/src/resources/${cycle[0]}`)),
    ...cyclesOf(files).map((cycle) =>
      say(
        cycle.map((path) => posix.basename(path)),
        cycle[0] ?? '',
      ),
    ),
  ];
}

/** One circle for each way back that a walk in depth meets. */
function cyclesOf(graph: Map<string, Set<string>>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (node: string, way: string[]) => {
    if (way.includes(node)) found.push([...way.slice(way.indexOf(node)), node]);
    if (done.has(node) || way.includes(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...way, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return found;
}
