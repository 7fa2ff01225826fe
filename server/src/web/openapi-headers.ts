// What stands in the head of answers, for the description.

type Headers = Record<string, { description: string; schema: { type: 'string' | 'integer' } }>;
type Answer = { headers?: Record<string, { $ref: string }> };
type Paths = Record<string, Record<string, { responses?: Record<string, Answer> } | undefined>>;

const header = (description: string, type: 'string' | 'integer' = 'string') => ({ description, schema: { type } });

export const ANSWER_HEADERS: Headers = {
  'Request-Id': header('req_ and 26 characters: what our log knows this call by. A refusal has it in its body too.'),
  'Service-Version': header('The version of the service.'),
  'RateLimit-Limit': header('How many calls the workspace may make at once.', 'integer'),
  'RateLimit-Remaining': header('How many of them are left now. A call without a valid key takes none of anybody.', 'integer'),
  'RateLimit-Reset': header('Seconds until all of them are there again.', 'integer'),
  'Retry-After': header('Seconds to wait before the next attempt.', 'integer'),
  'Idempotent-Replayed': header('`true`: this is the kept answer to the first call with this Idempotency-Key; nothing was done again.'),
};

const ALWAYS = ['Request-Id', 'Service-Version', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
/** Besides `idempotency_in_progress`, the statuses that ask to come again. */
const LATER = new Set(['429', '503']);

const refTo = (name: string) => [name, { $ref: `#/components/headers/${name}` }] as const;

/** Names the headers of answers: those that every answer has on the good ones, and on refusals what is theirs. `paths` is changed in place. */
export function describeHeaders(paths: Paths): void {
  for (const methods of Object.values(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      for (const [status, answer] of Object.entries(operation?.responses ?? {})) {
        const isGood = status.startsWith('2');
        const waits = LATER.has(status) || (status === '409' && method !== 'get');
        const names = [...(isGood ? ALWAYS : []), ...(isGood && method !== 'get' ? ['Idempotent-Replayed'] : []), ...(waits ? ['Retry-After'] : [])];
        if (names.length > 0) answer.headers = Object.fromEntries(names.map(refTo));
      }
    }
  }
}
