// Pages for people, who have no key: links out of the product. They run no script and load nothing.
import type { FastifyInstance } from 'fastify';
import type { World } from '#world/ctx.ts';

/** What a page says. Everything is shown as text. */
export type Said = { status: number; title: string; text: string };
/** A page is data, like a route. `{name}` in its path comes as a parameter. */
export type Page = { path: string; show(world: World, params: Readonly<Record<string, string>>): Promise<Said> };

const HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};
const STYLE = 'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem}';

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);

const html = ({ title, text }: Said) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>` +
  `<style>${STYLE}</style><h1>${escaped(title)}</h1><p>${escaped(text)}</p></html>\n`;

/** Mount pages. */
export function mountPages(app: FastifyInstance, world: World, pages: readonly Page[]): void {
  for (const { path, show } of pages) {
    app.get(path.replaceAll(/\{(\w+)\}/g, ':$1'), async (req, reply) => {
      const said = await show(world, req.params as Record<string, string>);
      return reply.code(said.status).headers(HEADERS).type('text/html; charset=utf-8').send(html(said));
    });
  }
}
