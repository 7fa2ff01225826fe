// A CSV file comes as a form, as itself, or inside JSON; behind this file there is only one kind.
import type { FastifyRequest } from 'fastify';
import { Refusal } from '#platform/refusal.ts';
import { jsonOf } from './json-body.ts';
import type { Upload } from './route.ts';

/** The largest file, and the largest body that carries one as itself or inside JSON. */
export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
export const UPLOAD_LIMITS = { fileSize: MAX_UPLOAD_BYTES, files: 1, fields: 20, fieldSize: 64 * 1024, parts: 21, fieldNameSize: 100 };

const typeOf = (req: FastifyRequest) => (req.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();

/** Whether the body is the file itself: then its fields stand in the query. */
export const isRawCsv = (req: FastifyRequest) => typeOf(req) === 'text/csv';

/**
 * The file and what came beside it. A form has one part `file`; a raw text/csv body takes its fields from `query`; JSON has `csv`, and every
 * other key is a field (what is no text, as JSON). Throws `unsupported_media_type`, `payload_too_large`, and 400 for a form that was cut off.
 */
export async function uploadOf(req: FastifyRequest, raw: Buffer, query: Record<string, unknown>): Promise<Upload> {
  const type = typeOf(req);
  if (type === 'multipart/form-data') return formOf(req);
  if (type === 'text/csv') return { file: raw, fields: fieldsOf(Object.entries(query)) };
  if (type === 'application/json') return jsonUploadOf(jsonOf(raw, req.headers['content-type']));
  throw new Refusal('unsupported_media_type', 'Send the file as multipart/form-data, text/csv or application/json.');
}

async function formOf(req: FastifyRequest): Promise<Upload> {
  const fields = new Map<string, string>();
  let file: Buffer | undefined;
  try {
    for await (const part of req.parts()) {
      if (part.type === 'file') {
        const content = await part.toBuffer();
        if (part.fieldname !== 'file')
          throw new Refusal('unknown_parameter', 'The file belongs into the part named file.', { param: part.fieldname });
        file = content;
      } else keepField(fields, part);
    }
  } catch (error) {
    if (error instanceof Refusal || isLimit(error)) throw error;
    throw new Refusal('invalid_parameter', 'The form is damaged or was cut off; nothing was imported.', { param: 'file' });
  }
  if (!file) throw new Refusal('parameter_missing', 'The form has no part named file.', { param: 'file' });
  return { file, fields: Object.fromEntries(fields) };
}

type Field = { fieldname: string; value: unknown; valueTruncated: boolean; fieldnameTruncated: boolean };

function keepField(fields: Map<string, string>, { fieldname, value, valueTruncated, fieldnameTruncated }: Field): void {
  if (valueTruncated || fieldnameTruncated) throw new Refusal('payload_too_large', `The field ${fieldname} is too long.`, { param: fieldname });
  if (fields.has(fieldname)) throw new Refusal('invalid_parameter', `Give ${fieldname} once.`, { param: fieldname });
  fields.set(fieldname, textOf(fieldname, value));
}

const isLimit = (error: unknown) => (error as { statusCode?: unknown } | null)?.statusCode === 413;

function jsonUploadOf(value: unknown): Upload {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refusal('validation_failed', 'The body must be a JSON object.');
  const { csv, ...others } = value as Record<string, unknown>;
  if (csv === undefined) throw new Refusal('parameter_missing', 'csv is required.', { param: 'csv' });
  if (typeof csv !== 'string') throw new Refusal('validation_failed', 'csv must be the text of the file.', { param: 'csv' });
  return { file: Buffer.from(csv), fields: fieldsOf(Object.entries(others).filter(([, one]) => one !== null)) };
}

const fieldsOf = (entries: [string, unknown][]) => Object.fromEntries(entries.map(([name, value]) => [name, textOf(name, value)]));

function textOf(param: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.includes('\0')) throw new Refusal('validation_failed', 'NUL is not allowed.', { param });
  return text;
}
