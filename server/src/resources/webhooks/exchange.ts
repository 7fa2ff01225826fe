import { type World } from '#world/ctx.ts';
import type { Delivery } from './delivery-store.ts';
import { isSuccess } from './rules.ts';
import { secretsOf, serviceSignature, standardSignature } from './secret.ts';
import type { Row } from './store.ts';

const DEADLINE_MS = 15_000;
const MAX_BODY_BYTES = 64 * 1024;
const REDACTED = '[redacted]';

export type DeliveryError = 'timeout' | 'dns' | 'tls' | 'refused' | 'reset' | 'redirect' | 'blocked_address' | 'status';

/** What became of one attempt. */
export type Outcome = {
  status: 'succeeded' | 'failed';
  response_status: number | null;
  error: DeliveryError | null;
  latency_ms: number;
  attempted_at: Date;
};

type Headed = Pick<Delivery, 'id' | 'event_id' | 'event_type' | 'attempt'>;
type Attempt = { delivery: Headed; body: string; now: Date };

/** The headers of an attempt. The time is the machines', however far a test clock was moved: receivers hold it against their own. */
function headersOf(
  { id, event_id: eventId, event_type: eventType, attempt }: Headed,
  seconds: number,
  signatures: { service: string; standard: string },
) {
  return {
    'content-type': 'application/json',
    'user-agent': 'Postrider',
    'service-signature': signatures.service,
    'service-event-id': eventId,
    'service-event-type': eventType,
    'service-delivery-id': id,
    'service-delivery-attempt': String(attempt),
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.standard,
  };
}

const secondsOf = (at: Date) => Math.floor(at.getTime() / 1000);

/** The headers as the log shows them: whoever reads it must not be able to say them again. Null before the attempt. */
export function loggedHeaders(delivery: Headed & Pick<Delivery, 'attempted_at'>): Record<string, string> | null {
  if (!delivery.attempted_at) return null;
  const seconds = secondsOf(delivery.attempted_at);
  return headersOf(delivery, seconds, { service: `t=${seconds},v1=${REDACTED}`, standard: `v1,${REDACTED}` });
}

/** Unsealing is dearer than signing; the row of an endpoint is read anew soon enough. */
const SECRETS = new WeakMap<Row, { secrets: string[]; until: Date | null }>();

function signers(world: World, endpoint: Row, now: Date): string[] {
  const known = SECRETS.get(endpoint);
  if (known && (known.until === null || now < known.until)) return known.secrets;
  const secrets = secretsOf(world, endpoint, now);
  SECRETS.set(endpoint, { secrets, until: secrets.length > 1 ? endpoint.previous_secret_until : null });
  return secrets;
}

/**
 * Sign `body` with the secrets that hold at `now`, the workspace's time, and post it to the endpoint. Never rejects for what the receiver does.
 */
export async function exchange(world: World, endpoint: Row, { delivery, body, now }: Attempt): Promise<Outcome> {
  const attempted = world.clock.wall();
  const seconds = secondsOf(attempted);
  const secrets = signers(world, endpoint, now);
  const signed = { id: delivery.event_id, seconds, body };
  const signatures = { service: serviceSignature(secrets, signed), standard: standardSignature(secrets, signed) };
  const started = world.clock.monotonic();
  const answer = await world.http[endpoint.mode].post({
    url: endpoint.url,
    headers: headersOf(delivery, seconds, signatures),
    body,
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_BODY_BYTES,
  });
  const told = { latency_ms: Math.round(world.clock.monotonic() - started), attempted_at: attempted };
  if ('fault' in answer) return { status: 'failed', response_status: null, error: answer.fault, ...told };
  const { status } = answer;
  if (isSuccess(status)) return { status: 'succeeded', response_status: status, error: null, ...told };
  return { status: 'failed', response_status: status, error: status >= 300 && status < 400 ? 'redirect' : 'status', ...told };
}
