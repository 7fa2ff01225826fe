import { z } from 'zod';
import { SETTINGS } from '#platform/config.ts';

/** The page of all settings, made from their declarations. */
export function settingsPage(): string {
  const rows = Object.entries(SETTINGS).map(([name, schema]) => {
    const { description = '', default: fallback } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
      description?: string;
      default?: string | number;
    };
    return `| \`${name}\` | ${fallback === undefined || fallback === '' ? '' : `\`${String(fallback)}\``} | ${description} |`;
  });
  return `# Settings

Read from the environment at start; every mistake is reported at once, and nothing starts. \`NAME_FILE\` names a file that holds the value of
\`NAME\`. Made from \`server/src/platform/config.ts\` by \`npm run golden\`.

| name | default | meaning |
|---|---|---|
${rows.join('\n')}
`;
}
