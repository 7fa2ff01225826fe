// Guards at the door: whose key, what it may, how often, how much, and that a call has its effect once.
import { type Mutant, edit } from './mutant.ts';

const WEB = 'server/src/web';
const IDEMPOTENCY = `${WEB}/idempotency.ts`;
const APP_TEST = `${WEB}/app.test.ts`;
const PERFORM_TEST = `${WEB}/perform.test.ts`;
const TRANSPORT_TEST = `${WEB}/transport.test.ts`;
const KEYS_TEST = 'server/src/resources/api-keys/api-keys.test.ts';

export const API: readonly Mutant[] = [
  {
    guard: 'scope',
    protects: 'A key does no more than its scope says.',
    edits: [edit(`${WEB}/principal.ts`, 'if (RANK[held] < RANK[needed])', 'if (RANK[held] < 0 * RANK[needed])')],
    killedBy: { [APP_TEST]: ['scopes: admin includes write, write includes read'] },
  },
  {
    guard: 'confirmation',
    protects: 'What cannot be undone is confirmed.',
    edits: [edit(`${WEB}/confirm.ts`, 'if (!ctx.confirmed)', 'if (ctx.confirmed === undefined)')],
    killedBy: { [APP_TEST]: ['confirmation: only the exact word, or a key that needs none'] },
  },
  {
    guard: 'confirmation-word',
    protects: 'Nothing but the exact word confirms.',
    edits: [edit(`${WEB}/read.ts`, "confirmed: confirm === 'true' || autoConfirm", 'confirmed: confirm !== undefined || autoConfirm')],
    killedBy: { [APP_TEST]: ['confirmation: only the exact word, or a key that needs none'] },
  },
  {
    guard: 'key-revoked',
    protects: 'A revoked key opens nothing.',
    edits: [
      edit('server/src/resources/api-keys/authenticate.ts', 'if (!row || row.revoked_at || ', 'if (!row || '),
      edit('server/src/resources/api-keys/revoke-api-key.ts', 'await store.dropSecret(ctx, row.secret_hash);'),
    ],
    pair: 'The hash of a revoked secret is dropped, and a revoked row is refused.',
    killedBy: { [KEYS_TEST]: ['revocation and rotation are seen at once, and again by nobody'] },
  },
  {
    guard: 'key-cache-ends',
    protects: 'Another process sees a revocation within a minute.',
    edits: [edit('server/src/resources/api-keys/keyring.ts', 'if (entry.goodUntil <= nowMs) return undefined;')],
    killedBy: { [KEYS_TEST]: ['another process sees a revocation within the minute'] },
  },
  {
    guard: 'rate-limit',
    protects: 'No workspace keeps the others from being served.',
    edits: [
      edit(
        `${WEB}/app.ts`,
        "if (retryAfter !== undefined) throw new Refusal('rate_limit_exceeded'",
        "if (retryAfter === -1) throw new Refusal('rate_limit_exceeded'",
      ),
    ],
    killedBy: {
      [APP_TEST]: ['the rate limit: headers on every answer, 429 past the burst, refilled by time, one bucket a workspace'],
      [TRANSPORT_TEST]: ['T29, T30: beyond the burst 429 with Retry-After, whatever address the caller claims; nothing of those is written'],
    },
  },
  {
    guard: 'body-limit',
    protects: 'No call fills the memory.',
    edits: [edit(`${WEB}/app.ts`, 'const MAX_JSON_BYTES = 1024 * 1024;', 'const MAX_JSON_BYTES = 1024 * 1024 * 1024;')],
    killedBy: { [APP_TEST]: ['a body that is no JSON object is refused'] },
  },
  {
    guard: 'json-depth',
    protects: 'No nesting without end reaches what walks through it.',
    edits: [edit(`${WEB}/json-body.ts`, 'if (depth > DEEPEST)', 'if (depth > 1_000 * DEEPEST)')],
    killedBy: { [APP_TEST]: ['a body that is no JSON object is refused'] },
  },
  {
    guard: 'json-prototype',
    protects: 'No name in a body becomes a prototype.',
    edits: [edit(`${WEB}/json-body.ts`, "if (key === '__proto__')", "if (key === '__proto__x')")],
    killedBy: { [APP_TEST]: ['a body that is no JSON object is refused'] },
  },
  {
    guard: 'json-nul',
    protects: 'No text reaches the database that no column can hold.',
    edits: [edit(`${WEB}/json-body.ts`, "if (text.includes('\\0') || !text.isWellFormed())", "if (text === '\\0')")],
    killedBy: { [APP_TEST]: ['a body that is no JSON object is refused'] },
  },
  {
    guard: 'upload-damaged',
    protects: 'A form that was cut off is refused by name, and nothing of it is imported.',
    edits: [
      edit(
        `${WEB}/upload.ts`,
        "throw new Refusal('invalid_parameter', 'The form is damaged or was cut off; nothing was imported.', { param: 'file' });",
        "file ??= Buffer.from('');",
      ),
    ],
    killedBy: { [`${WEB}/upload.test.ts`]: ['what is no upload is refused'] },
  },
  {
    guard: 'import-fence',
    protects: 'A worker that comes late to an import that another has taken over writes nothing.',
    edits: [edit('server/src/resources/contact-imports/store.ts', "    .where('fence', '=', fence)\n", "    .where('fence', '>=', fence)\n")],
    killedBy: { 'server/src/engine/imports/imports.test.ts': ['a worker that comes late writes nothing: neither rows nor progress nor events'] },
  },
  {
    guard: 'import-looked-through-first',
    protects: 'A file that is damaged at its end imports nothing of its beginning.',
    edits: [edit('server/src/engine/imports/carry-out.ts', 'await rowsIn(world, file, mapping));', 'await Promise.resolve(rowsIn.length));')],
    killedBy: { 'server/src/engine/imports/imports.test.ts': ['a file that is damaged at its very end imports nothing'] },
  },
  {
    guard: 'idempotency-lock',
    protects: 'Of many calls with one key one has an effect.',
    edits: [edit(IDEMPOTENCY, 'if (!row.mine || taken.has(name)) return inProgress();', 'if (taken.has(name)) return inProgress();')],
    killedBy: { [PERFORM_TEST]: ['a key whose transaction has not ended is in progress for another connection, and free when it is rolled back'] },
  },
  {
    guard: 'idempotency-in-a-batch',
    protects: 'Of two calls with one key that share a transaction one has an effect.',
    edits: [edit(IDEMPOTENCY, 'if (!row.mine || taken.has(name)) return inProgress();', 'if (!row.mine) return inProgress();')],
    killedBy: { [PERFORM_TEST]: ['of two calls with one key in one batch only the first goes on'] },
  },
  {
    guard: 'idempotency-body',
    protects: 'A key that is used for another call gets no answer that is not its own.',
    edits: [edit(IDEMPOTENCY, '!samePlace || row.body_hash !== claim.bodyHash || ', '!samePlace || ')],
    killedBy: { [PERFORM_TEST]: ['marks: a key belongs to one method, path and body'] },
  },
  {
    guard: 'idempotency-kept-once',
    protects: 'No answer is kept over another.',
    edits: [edit(IDEMPOTENCY, 'if (rows.length < kept.length) throw inProgress();', 'if (rows.length > kept.length) throw inProgress();')],
    killedBy: { [PERFORM_TEST]: ['an answer is never kept over another: the later transaction must give up'] },
  },
  {
    guard: 'idempotency-secret',
    protects: 'A secret that was shown once is not kept for a second time.',
    edits: [edit(`${WEB}/perform.ts`, 'text: claim.secret ? null : text', 'text: claim.secret ? text : text')],
    killedBy: { [PERFORM_TEST]: ['a secret is shown once and stored nowhere: its key names what it made'] },
  },
];
