import { isUtf8 } from 'node:buffer';
import { Refusal } from '#platform/refusal.ts';

const DEEPEST = 64;

/**
 * The value of a JSON body (RFC 8259, UTF-8; a byte order mark is passed over); an empty body counts as `{}`. Throws `unsupported_media_type`,
 * `invalid_json`, and 422 for what no column or mail could hold: NUL, lone surrogates, numbers beyond double precision, a `__proto__` key.
 */
export function jsonOf(raw: Buffer, contentType: string | undefined): unknown {
  if (raw.length === 0) return {};
  if (!isJson(contentType)) throw new Refusal('unsupported_media_type', 'Send the body as application/json.');
  if (!isUtf8(raw)) throw new Refusal('invalid_json', 'The body is not UTF-8.');
  const value = parsed(raw.toString('utf8').replace(/^\uFEFF/, ''));
  requireSound(value, '', 1);
  return value;
}

function isJson(contentType: string | undefined): boolean {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='));
  return type.trim() === 'application/json' && (charset === undefined || /^charset="?utf-?8"?$/.test(charset));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal('invalid_json', `The body is not valid JSON: ${(error as Error).message.slice(0, 200)}`);
  }
}

function requireSound(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') requireText(value, path);
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Refusal('validation_failed', 'The number is too large.', { param: path });
  } else if (typeof value === 'object' && value !== null) {
    if (depth > DEEPEST) throw new Refusal('invalid_json', `The body is nested more than ${DEEPEST} deep.`);
    if (Array.isArray(value)) value.forEach((item, index) => requireSound(item, `${path}[${index}]`, depth + 1));
    else for (const [key, item] of Object.entries(value)) requireSoundEntry(key, item, path === '' ? key : `${path}.${key}`, depth);
  }
}

function requireSoundEntry(key: string, item: unknown, path: string, depth: number): void {
  // As an own property it is harmless here, but the first merge further on would turn it into a prototype.
  if (key === '__proto__') throw new Refusal('unknown_parameter', 'The name __proto__ is not allowed.', { param: path });
  requireText(key, path.toWellFormed());
  requireSound(item, path, depth + 1);
}

function requireText(text: string, path: string): void {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw new Refusal('validation_failed', 'NUL and lone surrogates are not allowed.', path === '' ? {} : { param: path });
  }
}
