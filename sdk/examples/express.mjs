// Express: express.raw() on this route, and not behind an app-wide express.json(), which would take the body first.
import express from 'express';
import { SignatureError, webhooks } from '@postrider/sdk';

/** An app that hands each event to `onEvent`. */
export function receiver(secret, onEvent) {
  const app = express();
  app.post('/webhooks', express.raw({ type: 'application/json', limit: '1mb' }), async (request, response) => {
    try {
      const event = await webhooks.verify(request.body, request.headers, secret);
      await onEvent(event);
      response.sendStatus(204);
    } catch (error) {
      response.sendStatus(error instanceof SignatureError ? 400 : 500);
    }
  });
  return app;
}
