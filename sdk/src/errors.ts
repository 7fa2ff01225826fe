export type ErrorDetails = {
  type: string;
  code: string;
  message: string;
  param?: string | undefined;
  requestId?: string | undefined;
  docUrl?: string | undefined;
  resourceId?: string | undefined;
  problems?: readonly unknown[] | undefined;
};

/** Everything that a call can fail with, except an abort by the caller, which rejects with the signal's own reason. */
export class PostriderError extends Error {
  override name = 'PostriderError';
  /** The family of the error, such as `invalid_request_error`; `connection_error` when no answer came. */
  readonly type: string;
  /** The fact itself, such as `campaign_running`. Compare this, never the message. */
  readonly code: string;
  /** The field at fault, as a path: `smtp.port`, `contacts[3].email`. */
  readonly param: string | undefined;
  /** The HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly requestId: string | undefined;
  readonly docUrl: string | undefined;
  readonly headers: Headers;
  /** The object that the error is about, for instance the one that an idempotency key created before. */
  readonly resourceId: string | undefined;
  /** The single faults, where the service lists several (a campaign that is not ready). */
  readonly problems: readonly unknown[];

  constructor(details: ErrorDetails, status: number, headers: Headers, options?: ErrorOptions) {
    super(details.message, options);
    this.type = details.type;
    this.code = details.code;
    this.param = details.param;
    this.status = status;
    this.requestId = details.requestId;
    this.docUrl = details.docUrl;
    this.headers = headers;
    this.resourceId = details.resourceId;
    this.problems = details.problems ?? [];
  }
}

export class InvalidRequestError extends PostriderError {
  override name = 'InvalidRequestError';
}
export class AuthenticationError extends PostriderError {
  override name = 'AuthenticationError';
}
export class PermissionError extends PostriderError {
  override name = 'PermissionError';
}
export class IdempotencyError extends PostriderError {
  override name = 'IdempotencyError';
}
export class RateLimitError extends PostriderError {
  override name = 'RateLimitError';
}
/** The mail provider behind the service failed. */
export class ProviderError extends PostriderError {
  override name = 'ProviderError';
}
/** The service failed, or something in front of it answered in its place. */
export class ApiError extends PostriderError {
  override name = 'ApiError';
}
/** No answer came: `code` is `timeout` or `connection_failed`, `cause` what the runtime said. */
export class ConnectionError extends PostriderError {
  override name = 'ConnectionError';
}

const CLASSES: ReadonlyMap<string, typeof PostriderError> = new Map([
  ['invalid_request_error', InvalidRequestError],
  ['authentication_error', AuthenticationError],
  ['permission_error', PermissionError],
  ['idempotency_error', IdempotencyError],
  ['rate_limit_error', RateLimitError],
  ['provider_error', ProviderError],
  ['api_error', ApiError],
]);

/** The error that an answer outside 2xx stands for. An answer without the error envelope (a proxy's page) is judged by its status. */
export function errorOf(status: number, headers: Headers, body: unknown): PostriderError {
  const details = detailsIn(body) ?? {
    type: typeOfStatus(status),
    code: 'unexpected_response',
    message: `The answer was HTTP ${status}, not one of Postrider's.`,
  };
  const Class = CLASSES.get(details.type) ?? ApiError;
  return new Class({ ...details, requestId: details.requestId ?? headers.get('request-id') ?? undefined }, status, headers);
}

/** An answer that says success but is not the JSON object that every call answers with. */
export function unexpectedAnswer(status: number, headers: Headers): PostriderError {
  const message = `The answer (HTTP ${status}) is not JSON. Is baseUrl the address of the Postrider API?`;
  return new ApiError(
    { type: 'api_error', code: 'unexpected_response', message, requestId: headers.get('request-id') ?? undefined },
    status,
    headers,
  );
}

function detailsIn(body: unknown): ErrorDetails | undefined {
  const error = isObject(body) ? body['error'] : undefined;
  if (!isObject(error)) return undefined;
  const { type, code, message, problems } = error;
  if (typeof type !== 'string' || typeof code !== 'string' || typeof message !== 'string') return undefined;
  const text = (name: string) => (typeof error[name] === 'string' ? error[name] : undefined);
  return {
    type,
    code,
    message,
    param: text('param'),
    requestId: text('request_id'),
    docUrl: text('doc_url'),
    resourceId: text('resource_id'),
    problems: Array.isArray(problems) ? problems : undefined,
  };
}

function typeOfStatus(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 400 && status < 500 ? 'invalid_request_error' : 'api_error';
}

export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
