// Every reason for which Postrider says an expected "no". A code that is added here makes web/problems.ts fail to compile
// until it has a status and a type.
export type RefusalCode =
  | 'invalid_json'
  | 'invalid_parameter'
  | 'parameter_missing'
  | 'unknown_parameter'
  | 'validation_failed'
  | 'invalid_email'
  | 'invalid_cursor'
  | 'resource_missing'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'payload_too_large'
  | 'invalid_api_key'
  | 'insufficient_scope'
  | 'mode_mismatch'
  | 'confirmation_required'
  | 'recipient_suppressed'
  | 'duplicate_recipient'
  | 'send_not_cancelable'
  | 'campaign_running'
  | 'campaign_not_ready'
  | 'invalid_campaign_state'
  | 'invalid_inbox_state'
  | 'invalid_webhook_state'
  | 'no_inbox_available'
  | 'inbox_connection_failed'
  | 'import_unreadable'
  | 'duplicate_row'
  | 'plan_limit_reached'
  | 'not_entitled'
  | 'idempotency_key_reused'
  | 'idempotency_in_progress'
  | 'idempotency_replay_unavailable'
  | 'rate_limit_exceeded'
  | 'body_unavailable'
  | 'service_unavailable'
  | 'internal_error';

type Details = { param?: string; resourceId?: string; retryAfterSeconds?: number; problems?: readonly object[] };

/** An expected "no", safe to show to the caller. Anything else that is thrown is a bug. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly code: RefusalCode;
  readonly details: Details;
  constructor(code: RefusalCode, message: string, details: Details = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The row, or the 404 that absent, foreign and other-mode ids share. */
export function found<T>(row: T | undefined | null, what: string): T {
  if (row === undefined || row === null) throw new Refusal('resource_missing', `No such ${what}.`, { param: 'id' });
  return row;
}
