export type Problem = { rule: string; path: string; line: number; text: string };

/** Problems of one rule that a file may have, with the reason. The list may only shrink. */
export type Exception = { rule: string; path: string; allow: number; why: string };

/** Take the excepted problems away; an exception that allows more than there is, is itself a problem. */
export function except(problems: Problem[], exceptions: Exception[]): Problem[] {
  const of = ({ rule, path }: { rule: string; path: string }) => problems.filter((one) => one.rule === rule && one.path === path);
  const covered = new Set(exceptions.filter((one) => of(one).length <= one.allow).flatMap(of));
  const idle = exceptions.flatMap((one): Problem[] => {
    const found = of(one).length;
    if (found >= one.allow) return [];
    return [{ rule: 'exception', path: one.path, line: 1, text: `the exception to ${one.rule} allows ${one.allow}, ${found} are left: lower it` }];
  });
  return [...problems.filter((one) => !covered.has(one)), ...idle];
}
