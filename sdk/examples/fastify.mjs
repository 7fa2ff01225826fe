// Fastify: a parser that leaves JSON as the bytes that came. Inside register() it holds for these routes alone.
import fastify from 'fastify';
import { SignatureError, webhooks } from '@postrider/sdk';

/** An app that hands each event to `onEvent`. */
export function receiver(secret, onEvent) {
  const app = fastify();
  app.register(async (scope) => {
    scope.removeContentTypeParser('application/json');
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post('/webhooks', async (request, reply) => {
      try {
        const event = await webhooks.verify(request.body, request.headers, secret);
        await onEvent(event);
        return reply.code(204).send();
      } catch (error) {
        return reply.code(error instanceof SignatureError ? 400 : 500).send();
      }
    });
  });
  return app;
}
