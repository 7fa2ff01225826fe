// The pages that `doc_url` names, made from the table of codes.
import type { RefusalCode } from '#platform/refusal.ts';
import { PROBLEMS } from './problems.ts';
import { REMEDIES } from './remedies.ts';

const CODES = Object.keys(PROBLEMS).sort() as RefusalCode[];

export const isCode = (text: string): text is RefusalCode => Object.hasOwn(PROBLEMS, text);

/** The page of one code: what it means, and what to do. */
export function errorPage(code: RefusalCode): string {
  const [status, type] = PROBLEMS[code];
  const { cause, remedy } = REMEDIES[code];
  return page(
    code,
    `<p class="path"><a href="/docs">Reference</a> / <a href="/docs/errors">Errors</a></p>
<h1><code>${code}</code></h1>
<p class="facts">HTTP ${status} · <code>${type}</code></p>
<h2>Why</h2><p>${marked(cause)}</p>
<h2>What to do</h2><p>${marked(remedy)}</p>`,
  );
}

/** Every code in one table. */
export function errorListPage(): string {
  const rows = CODES.map((code) => {
    const [status, type] = PROBLEMS[code];
    const cells = [`<a href="/docs/errors/${code}"><code>${code}</code></a>`, status, `<code>${type}</code>`, marked(REMEDIES[code].cause)];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return page(
    'Errors',
    `<p class="path"><a href="/docs">Reference</a></p>
<h1>Errors</h1>
<p>Compare <code>error.code</code>, never the message. <code>error.param</code> names the field at fault, <code>error.request_id</code> the call.</p>
<table><thead><tr><th>code</th><th>status</th><th>type</th><th>why</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>`,
  );
}

/** The same list as Markdown. */
export function errorsMarkdown(): string {
  const rows = CODES.map((code) => {
    const [status, type] = PROBLEMS[code];
    return `| <a id="${code}"></a>\`${code}\` | ${status} | \`${type}\` | ${REMEDIES[code].cause} | ${REMEDIES[code].remedy} |`;
  });
  return `| code | status | type | why | what to do |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const marked = (text: string) => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.55 system-ui,sans-serif;max-width:62rem;margin:0 auto;padding:2rem 1.25rem}
h1{font-size:1.6rem;margin:.4em 0}h2{font-size:1.05rem;margin:1.6em 0 .2em}code{font:.92em ui-monospace,monospace}
a{color:inherit}.path,.facts{opacity:.75}table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.45rem .6rem;border-bottom:1px solid color-mix(in srgb,currentColor 18%,transparent)}
@media(max-width:40rem){th:nth-child(3),td:nth-child(3){display:none}}`;

const page = (title: string, body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Postrider</title><style>${STYLE}</style></head>
<body>
${body}
</body></html>
`;
