// What a refusal means to whoever meets it. The pages that `doc_url` names and the list in docs/api/errors.md are made from this.
import type { RefusalCode } from '#platform/refusal.ts';

/** `cause`: when the service says so. `remedy`: what to do about it. A code without a line here does not compile. */
export type Advice = { cause: string; remedy: string };

export const REMEDIES = {
  invalid_json: {
    cause: 'The body is not JSON in UTF-8, is nested more than 64 deep, or is not as long as Content-Length says.',
    remedy: 'Send one JSON object, printed by a JSON library, as UTF-8.',
  },
  invalid_parameter: {
    cause: 'A query parameter, a header or the request itself has not the form that this route takes, or a parameter was given twice.',
    remedy: 'Correct the parameter that `param` names; the reference lists its form. Give each parameter once.',
  },
  parameter_missing: {
    cause: 'A field that the call cannot do without is absent.',
    remedy: 'Add the field that `param` names.',
  },
  unknown_parameter: {
    cause: 'The body holds a field that this call does not know. It is refused so that a misspelt field is not lost silently.',
    remedy: 'Correct the spelling of the field that `param` names, or leave it out.',
  },
  validation_failed: {
    cause: 'A field has the wrong type, is too long, is out of range, holds characters that no mail can carry, or contradicts another field.',
    remedy: 'Correct the field that `param` names. Where several are at fault, `problems` lists them.',
  },
  invalid_email: {
    cause:
      'The address is missing or is not an e-mail address: quoted local parts, spaces, control characters and single-label domains are not taken.',
    remedy: 'Send one bare address such as `ann@example.com`; a name goes into a field of its own.',
  },
  invalid_cursor: {
    cause: '`starting_after` or `ending_before` is no cursor of this list, or both were given.',
    remedy: 'Pass `next_cursor` or `prev_cursor` of a page of the same list, or the id of an object in it, one at a time.',
  },
  resource_missing: {
    cause: 'There is nothing of this id or path for this key. Ids of another workspace, of the other mode and of deleted objects look the same.',
    remedy: 'Check the id, and that a test key asks for test objects and a live key for live ones.',
  },
  method_not_allowed: {
    cause: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  unsupported_media_type: {
    cause: 'The body is not of a type that this route reads.',
    remedy: 'Send `Content-Type: application/json`; for contact imports also `multipart/form-data` or `text/csv`.',
  },
  payload_too_large: {
    cause: 'The body is larger than 1 MiB, or an uploaded file than 50 MiB, or a form has too many parts.',
    remedy: 'Split the call: batches take 1,000 rows, imports any number of files.',
  },
  invalid_api_key: {
    cause: 'There is no `Authorization: Bearer` header with exactly one key, or the key is unknown, revoked or rotated.',
    remedy:
      'Send the whole secret as it was shown. A revoked or rotated secret stops working within 60 seconds; create or rotate a key for a new one.',
  },
  insufficient_scope: {
    cause: 'The key is good, but its scope does not reach this call: read is for GET, write for what does not destroy, admin for the rest.',
    remedy: 'Use a key of the scope that the reference names for the operation. A key cannot create one of a wider scope than its own.',
  },
  mode_mismatch: {
    cause: 'The call belongs to the other mode: sandboxes and the test clock to test keys, mail servers to live keys.',
    remedy: 'Use a key of the other mode.',
  },
  confirmation_required: {
    cause: 'The call cannot be undone and was not confirmed.',
    remedy: 'Add `?confirm=true` in exactly this spelling, or use a key with `auto_confirm`.',
  },
  recipient_suppressed: {
    cause: 'The recipient is suppressed, has unsubscribed, has bounced or is blacklisted.',
    remedy: 'Do not write to this person. If the entry is a mistake, delete the suppression with an admin key and correct the contact.',
  },
  duplicate_recipient: {
    cause: 'The same address stands twice in one call; the first place has been taken.',
    remedy: 'Nothing: the person gets one mail. To send two, make two calls.',
  },
  send_not_cancelable: {
    cause: 'Only a send in state `scheduled` can be canceled; this one is on its way, has ended, or was canceled before.',
    remedy: 'Retrieve the send to see its state.',
  },
  campaign_running: {
    cause: 'A running campaign cannot be changed.',
    remedy: 'Pause it, change it, resume it.',
  },
  campaign_not_ready: {
    cause: 'The campaign cannot start: something that it needs is missing or broken. `problems` lists all of it.',
    remedy: 'Mend what `problems` names, and try with `dry_run=true` first: it writes nothing.',
  },
  invalid_campaign_state: {
    cause: 'The campaign is not in a state from which this is possible: start is from draft, pause from running, resume from paused.',
    remedy: 'Retrieve the campaign to see its status.',
  },
  invalid_inbox_state: {
    cause: 'The inbox is not in a state in which this is possible: only active and paused ones can be paused and resumed, revoked ones cannot send.',
    remedy: 'Retrieve the inbox; `status` and `status_reason` say what is the matter. Connect it again where it was revoked or has failed.',
  },
  no_inbox_available: {
    cause: 'There is no inbox that could send this.',
    remedy: 'Connect or resume an inbox, or name others.',
  },
  inbox_connection_failed: {
    cause: 'The SMTP or the IMAP server could not be reached or did not accept the login. The words are the same whatever it was.',
    remedy: 'Check hosts, ports, security and password of the server that `param` names; many providers want an app password. Nothing was stored.',
  },
  import_unreadable: {
    cause: 'The file cannot be read as a table: it is empty, has no column of addresses, or is no CSV at all.',
    remedy: 'Save it as CSV with a header row, or name the column of addresses in `mapping`.',
  },
  duplicate_row: {
    cause: 'The address stands in an earlier row of the same file or call.',
    remedy: 'Nothing: the first row counts.',
  },
  plan_limit_reached: {
    cause: 'The plan of the workspace has no room for one more. `GET /v1/workspace` shows limits and usage.',
    remedy: 'Delete what is not needed, wait for the next month (sends), or move to a larger plan.',
  },
  not_entitled: {
    cause: 'The plan of the workspace does not include this.',
    remedy: 'Move to a plan that does. Trials do not include warm-up.',
  },
  idempotency_key_reused: {
    cause: 'The Idempotency-Key belongs to a call with another method, path or body.',
    remedy: 'Take a new key for each new call; use the same one only to repeat the same bytes.',
  },
  idempotency_in_progress: {
    cause: 'The first call with this Idempotency-Key has not ended yet.',
    remedy: 'Repeat the call after the seconds in `Retry-After`; it then gets the answer of the first.',
  },
  idempotency_replay_unavailable: {
    cause: 'This Idempotency-Key has created an object whose secret was shown once and is not kept.',
    remedy: 'Use the object that `resource_id` names. If its secret is lost, rotate it with a new Idempotency-Key.',
  },
  rate_limit_exceeded: {
    cause: 'The workspace makes more requests than its rate allows, or your address has called too often without a valid key.',
    remedy: 'Wait for the seconds in `Retry-After`. `RateLimit-Remaining` tells beforehand how many are left.',
  },
  body_unavailable: {
    cause: 'The mailbox could not give the body of the message: it is disconnected, or the message was deleted there.',
    remedy: 'Connect the inbox again, or try later. Bodies are not stored here.',
  },
  invalid_webhook_state: {
    cause: 'The endpoint is disabled, so nothing is delivered to it.',
    remedy: 'Enable it with PATCH `disabled` false, then repeat the call.',
  },
  service_unavailable: {
    cause: 'The database cannot be reached at this moment.',
    remedy: 'Repeat the call with the same Idempotency-Key after the seconds in `Retry-After`.',
  },
  internal_error: {
    cause: 'A fault of the service. Nothing of it is told, but it is logged with the request id.',
    remedy: 'Repeat the call with the same Idempotency-Key. If it stays, report `request_id` to whoever runs the service.',
  },
} as const satisfies Record<RefusalCode, Advice>;
