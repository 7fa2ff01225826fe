// Hono, on Node, Bun, Deno or at an edge: the request's own text() and headers.
import { Hono } from 'hono';
import { SignatureError, webhooks } from '@postrider/sdk';

/** An app that hands each event to `onEvent`. */
export function receiver(secret, onEvent) {
  const app = new Hono();
  app.post('/webhooks', async (c) => {
    try {
      const event = await webhooks.verify(await c.req.text(), c.req.raw.headers, secret);
      await onEvent(event);
      return c.body(null, 204);
    } catch (error) {
      return c.body(null, error instanceof SignatureError ? 400 : 500);
    }
  });
  return app;
}
