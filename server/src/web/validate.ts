import { z } from 'zod';
import { Refusal, type RefusalCode } from '#platform/refusal.ts';
import { PROBLEMS } from './problems.ts';

type Problem = { code: RefusalCode; message: string; param?: string };
type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

const NOTHING = z.strictObject({});
const MOST_PROBLEMS = 20;

/** Path parameters. A spelling that does not fit is simply not found. */
export function paramsOf(schema: z.ZodType | undefined, raw: unknown): unknown {
  const result = (schema ?? NOTHING).safeParse(raw);
  if (result.success) return result.data;
  throw new Refusal('resource_missing', 'There is nothing of this id.', { param: String(result.error.issues[0]?.path[0] ?? 'id') });
}

/** Query parameters, each given once. Throws `invalid_parameter`. */
export function queryOf(schema: z.ZodType | undefined, raw: Record<string, unknown>): unknown {
  for (const [param, value] of Object.entries(raw)) {
    if (Array.isArray(value)) throw new Refusal('invalid_parameter', `Give ${param} once.`, { param });
    if (/\0/.test(`${param}${String(value)}`)) throw new Refusal('invalid_parameter', 'NUL is not allowed.', { param: param.replaceAll('\0', '') });
  }
  const result = (schema ?? NOTHING).safeParse(raw);
  if (result.success) return result.data;
  const [first] = problemsOf(result.error.issues, raw);
  throw new Refusal('invalid_parameter', first!.message, first!.param === undefined ? {} : { param: first!.param });
}

/** A body against its schema. Throws the first problem, with all of them in `problems` where there are several. */
export function bodyOf(schema: z.ZodType | undefined, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refusal('validation_failed', 'The body must be a JSON object.');
  const result = (schema ?? NOTHING).safeParse(value);
  if (result.success) return result.data;
  const problems = problemsOf(result.error.issues, value);
  const { code, message, param } = problems[0]!;
  throw new Refusal(code, message, {
    ...(param === undefined ? {} : { param }),
    ...(problems.length > 1 ? { problems: problems.slice(0, MOST_PROBLEMS) } : {}),
  });
}

/** The spelling of a place in a body: `smtp.port`, `contacts[3].email`. */
export function spelt(path: Path): string {
  return path.reduce<string>((text, step) => text + (typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${String(step)}`), '');
}

const problemsOf = (issues: readonly Issue[], input: unknown): Problem[] => issues.flatMap((issue) => problemsOfOne(issue, [], input));

function problemsOfOne(issue: Issue, above: Path, input: unknown): Problem[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ code: 'unknown_parameter', message: `There is no parameter ${key} here.`, param: spelt([...path, key]) }));
  }
  if (path.length > 0 && at(input, path) === undefined)
    return [{ code: 'parameter_missing', message: `${spelt(path)} is required.`, param: spelt(path) }];
  if (issue.code === 'invalid_union') {
    const branch = likeliest(issue.errors);
    if (branch) return branch.flatMap((one) => problemsOfOne(one, path, input));
  }
  return [{ code: codeOf(issue), message: issue.message, ...(path.length > 0 ? { param: spelt(path) } : {}) }];
}

/** Of the forms that a value might have had, the one whose outer shape it has. */
const likeliest = (branches: readonly (readonly Issue[])[]) =>
  branches.find((issues) => !issues.some((one) => one.path.length === 0 && (one.code === 'invalid_type' || one.code === 'invalid_value')));

function codeOf(issue: Issue): RefusalCode {
  const named: unknown = issue.code === 'custom' ? issue.params?.['code'] : undefined;
  return typeof named === 'string' && Object.hasOwn(PROBLEMS, named) ? (named as RefusalCode) : 'validation_failed';
}

function at(input: unknown, path: Path): unknown {
  let here = input;
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Record<PropertyKey, unknown>)[step];
  }
  return here;
}
