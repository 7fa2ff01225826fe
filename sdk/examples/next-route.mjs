// A route handler of Next (app/webhooks/route.js), and of whatever else hands over a Request and wants a Response.
import { SignatureError, webhooks } from '@postrider/sdk';

/** `export const POST = handler(process.env.WEBHOOK_SECRET, async (event) => { … })` */
export const handler = (secret, onEvent) => async (request) => {
  try {
    const event = await webhooks.verify(await request.text(), request.headers, secret);
    await onEvent(event);
    return new Response(null, { status: 204 });
  } catch (error) {
    return new Response(null, { status: error instanceof SignatureError ? 400 : 500 });
  }
};
