import type { Refusal, RefusalCode } from '#platform/refusal.ts';

export const ERROR_TYPES = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'idempotency_error',
  'rate_limit_error',
  'provider_error',
  'api_error',
] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

/** The one place where a code meets its HTTP status and type. A code without a line here does not compile. */
export const PROBLEMS = {
  invalid_json: [400, 'invalid_request_error'],
  invalid_parameter: [400, 'invalid_request_error'],
  parameter_missing: [422, 'invalid_request_error'],
  unknown_parameter: [422, 'invalid_request_error'],
  validation_failed: [422, 'invalid_request_error'],
  invalid_email: [422, 'invalid_request_error'],
  invalid_cursor: [400, 'invalid_request_error'],
  resource_missing: [404, 'invalid_request_error'],
  method_not_allowed: [405, 'invalid_request_error'],
  unsupported_media_type: [415, 'invalid_request_error'],
  payload_too_large: [413, 'invalid_request_error'],
  invalid_api_key: [401, 'authentication_error'],
  insufficient_scope: [403, 'permission_error'],
  mode_mismatch: [403, 'permission_error'],
  confirmation_required: [400, 'invalid_request_error'],
  recipient_suppressed: [422, 'invalid_request_error'],
  duplicate_recipient: [422, 'invalid_request_error'],
  send_not_cancelable: [409, 'invalid_request_error'],
  campaign_running: [409, 'invalid_request_error'],
  campaign_not_ready: [422, 'invalid_request_error'],
  invalid_campaign_state: [409, 'invalid_request_error'],
  invalid_inbox_state: [409, 'invalid_request_error'],
  invalid_webhook_state: [409, 'invalid_request_error'],
  no_inbox_available: [422, 'invalid_request_error'],
  inbox_connection_failed: [422, 'invalid_request_error'],
  import_unreadable: [422, 'invalid_request_error'],
  duplicate_row: [422, 'invalid_request_error'],
  plan_limit_reached: [403, 'permission_error'],
  not_entitled: [403, 'permission_error'],
  idempotency_key_reused: [409, 'idempotency_error'],
  idempotency_in_progress: [409, 'idempotency_error'],
  idempotency_replay_unavailable: [409, 'idempotency_error'],
  rate_limit_exceeded: [429, 'rate_limit_error'],
  body_unavailable: [502, 'provider_error'],
  service_unavailable: [503, 'api_error'],
  internal_error: [500, 'api_error'],
} as const satisfies Record<RefusalCode, readonly [number, ErrorType]>;

/** A refusal as a row of a batch, an import or a bulk send shows it. */
export function rowError(refusal: Refusal): { type: ErrorType; code: RefusalCode; message: string } {
  return { type: PROBLEMS[refusal.code][1], code: refusal.code, message: refusal.message };
}
