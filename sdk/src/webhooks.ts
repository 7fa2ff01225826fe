import type { WebhookEvent } from './webhook-events.ts';

/** Of a request: Headers, or the plain object that Node gives. */
export type WebhookHeaders = Pick<Headers, 'get'> | Record<string, string | readonly string[] | undefined>;

export type VerifyOptions = {
  /** Seconds by which the signature's time may be away from `now`, either way. Default: 300 */
  tolerance?: number | undefined;
  /** Default: the current time. */
  now?: Date | undefined;
};

export type SignatureProblem = 'header_missing' | 'header_malformed' | 'timestamp_outside_tolerance' | 'signature_mismatch' | 'payload_unreadable';

/** The request is not a delivery that the service signed with this secret just now. Answer 400 and do nothing. */
export class SignatureError extends Error {
  override name = 'SignatureError';
  readonly code: SignatureProblem;
  constructor(code: SignatureProblem, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The event of a webhook request, once its `Service-Signature: t=<unix seconds>,v1=<hex>[,v1=<hex>]` is proved: one of the v1 values must be
 * HMAC-SHA256, keyed with the endpoint's secret as it was shown (`whsec_` included), over `<t>.<raw body>`. Pass the body as it arrived:
 * JSON that was parsed and printed again is another text. Rejects with SignatureError.
 */
export async function verify(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  { tolerance = 300, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) throw new TypeError('rawBody must be the request body as it arrived.');
  if (!secret) throw new TypeError('secret must be the signing secret of the endpoint.');
  const { time, signatures } = signatureIn(headers);
  if (Math.abs(now.getTime() / 1000 - Number(time)) > tolerance) {
    throw new SignatureError('timestamp_outside_tolerance', `The signature's time is more than ${tolerance} seconds away from now.`);
  }
  const encoder = new TextEncoder();
  const body = typeof rawBody === 'string' ? encoder.encode(rawBody) : rawBody;
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = joined(encoder.encode(`${time}.`), body);
  // WebCrypto compares in constant time.
  const matches = await Promise.all(signatures.map((signature) => subtle.verify('HMAC', key, bytesOf(signature), signed)));
  if (!matches.includes(true)) throw new SignatureError('signature_mismatch', 'No signature fits the body and this secret.');
  return eventIn(body);
}

/** Header values that are no signature of ours are passed over, so that a later scheme can stand beside v1. */
function signatureIn(headers: WebhookHeaders): { time: string; signatures: string[] } {
  const header = headerOf(headers, 'service-signature');
  if (!header) throw new SignatureError('header_missing', 'There is no Service-Signature header.');
  const pairs = header.split(',').map((part) => part.trim().split('='));
  const valuesOf = (wanted: string) => pairs.flatMap(([name, value = '']) => (name === wanted ? [value] : []));
  const times = valuesOf('t');
  const signatures = valuesOf('v1').filter((value) => /^[0-9a-f]{64}$/.test(value));
  const [time] = times;
  if (time === undefined || times.length > 1 || !/^\d{1,12}$/.test(time) || signatures.length === 0) {
    throw new SignatureError('header_malformed', 'The Service-Signature header is not of the form t=…,v1=….');
  }
  return { time, signatures };
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (isHeaders(headers)) return headers.get(name);
  const values = Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name && value !== undefined ? value : []));
  return values.join(',');
}

const isHeaders = (headers: WebhookHeaders): headers is Pick<Headers, 'get'> => typeof headers.get === 'function';

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

function eventIn(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  } catch {
    throw new SignatureError('payload_unreadable', 'The body is signed, but it is not JSON.');
  }
}
