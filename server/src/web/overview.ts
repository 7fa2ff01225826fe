// Where to find what: for programs at /v1, for language models at /llms.txt.
import { tagOf } from './operation-id.ts';
import type { Route } from './route.ts';
import { VERSION } from './version.ts';

/** The body of GET /v1. It needs no key and tells nothing of anybody. */
export function indexOf(routes: readonly Route[], baseUrl: string) {
  const resources = [...new Set(routes.map(({ path }) => `/${path.split('/').slice(1, 3).join('/')}`))].sort();
  return { object: 'index', version: VERSION, openapi_url: `${baseUrl}/openapi.json`, docs_url: `${baseUrl}/docs`, resources };
}

/** A map of the interface in plain text (llmstxt.org): what it is, its rules, every operation in a line. */
export function llmsText(routes: readonly Route[], baseUrl: string): string {
  const tags = [...new Set(routes.map(tagOf))].sort();
  const parts = tags.map((tag) => {
    const lines = routes
      .filter((route) => tagOf(route) === tag)
      .map(({ method, path, spec }) => `- \`${method} ${path}\` (${spec.scope}): ${spec.summary}`);
    return `## ${tag}\n\n${lines.join('\n')}`;
  });
  return `# Postrider

> Self-hosted cold-email outreach: inboxes, contacts, sequences, campaigns, sends and their answers, over one HTTP API.

- OpenAPI 3.1: ${baseUrl}/openapi.json
- Reference: ${baseUrl}/docs
- Errors, each with cause and remedy: ${baseUrl}/docs/errors

Rules: \`Authorization: Bearer <key>\`; test keys (\`svc_test_…\`) live in a simulated world and send nothing. JSON in and out; unknown fields are
refused. Every mutation takes an \`Idempotency-Key\`. Lists take \`limit\` (1 to 100), \`starting_after\`, \`ending_before\`, newest first.
Errors are \`{error: {type, code, message, param?, request_id, doc_url}}\`; compare \`code\`. Destructive calls need \`?confirm=true\`.

${parts.join('\n\n')}
`;
}
