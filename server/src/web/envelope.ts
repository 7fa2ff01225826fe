// How a "no" looks on the wire, whoever said it: a verb, the framework or a bug.
import { Refusal, type RefusalCode } from '#platform/refusal.ts';
import { isConnectionLost } from '#store/db.ts';
import { PROBLEMS } from './problems.ts';

const OF_THE_FRAMEWORK: Record<string, [RefusalCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The body is too large.'],
  FST_REQ_FILE_TOO_LARGE: ['payload_too_large', 'The file is too large.'],
  FST_PARTS_LIMIT: ['payload_too_large', 'The form has too many parts.'],
  FST_FILES_LIMIT: ['payload_too_large', 'The form has more than one file.'],
  FST_FIELDS_LIMIT: ['payload_too_large', 'The form has too many fields.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Send the body as application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_json', 'The body is not as long as Content-Length says.'],
  FST_ERR_BAD_URL: ['resource_missing', 'There is nothing at this path.'],
  FST_ERR_MAX_PARAM_LENGTH: ['resource_missing', 'There is nothing at this path.'],
};

/** The refusal that an error amounts to; undefined for a bug. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (isConnectionLost(error)) return new Refusal('service_unavailable', 'The database cannot be reached.', { retryAfterSeconds: 1 });
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  const known = typeof code === 'string' ? OF_THE_FRAMEWORK[code] : undefined;
  if (known) return new Refusal(...known);
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new Refusal('invalid_parameter', 'The request could not be read.');
  return undefined;
}

/** What a caller learns of a bug. */
export const internalError = () => new Refusal('internal_error', 'Something went wrong here. Quote the request id when you report it.');

/** Status, headers and body of a refusal. */
export function envelopeOf(refusal: Refusal, requestId: string, baseUrl: string): { status: number; headers: Record<string, string>; text: string } {
  const [status, type] = PROBLEMS[refusal.code];
  const { param, resourceId, retryAfterSeconds, problems } = refusal.details;
  const headers: Record<string, string> = {};
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  if (refusal.code === 'invalid_api_key') headers['www-authenticate'] = 'Bearer';
  const error = {
    type,
    code: refusal.code,
    message: refusal.message,
    param,
    resource_id: resourceId,
    problems,
    request_id: requestId,
    doc_url: `${baseUrl}/docs/errors/${refusal.code}`,
  };
  return { status, headers, text: JSON.stringify({ error }) };
}
