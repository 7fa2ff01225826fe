// node:http: collect the body yourself, and parse nothing before it is verified.
import { createServer } from 'node:http';
import { SignatureError, webhooks } from '@postrider/sdk';

const MOST_BYTES = 1024 * 1024;

/** A server that hands each event to `onEvent`. */
export const receiver = (secret, onEvent) =>
  createServer(async (request, response) => {
    try {
      const parts = [];
      let bytes = 0;
      for await (const part of request) {
        bytes += part.length;
        if (bytes > MOST_BYTES) return response.writeHead(413, { connection: 'close' }).end();
        parts.push(part);
      }
      const event = await webhooks.verify(Buffer.concat(parts), request.headers, secret);
      await onEvent(event);
      return response.writeHead(204).end();
    } catch (error) {
      return response.writeHead(error instanceof SignatureError ? 400 : 500).end();
    }
  });
