// Files that go with a send, as they come over the wire.
import { z } from 'zod';
import { Line } from '#web/wire.ts';

const MAX_FILES = 10;
const MAX_BYTES = 10 * 1024 * 1024;

/** What base64 and JSON make of the largest attachments, and the rest of a body. */
export const MAX_BODY_BYTES = 15 * 1024 * 1024;

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv', doc: 'application/msword', gif: 'image/gif', html: 'text/html', ics: 'text/calendar', jpeg: 'image/jpeg',
  jpg: 'image/jpeg', json: 'application/json', pdf: 'application/pdf', png: 'image/png', svg: 'image/svg+xml',
  txt: 'text/plain', webp: 'image/webp', zip: 'application/zip',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}; // prettier-ignore

const typeOf = (filename: string) => TYPES[/\.([a-z]{3,4})$/i.exec(filename)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream';

/** base64 (RFC 4648 4), in lines or not; with its padding, so that a text that was cut off is noticed. */
function bytesOf(text: string, issues: z.core.$RefinementCtx): Buffer {
  const plain = text.replace(/[\r\n]+/g, '');
  if (plain === '' || plain.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) {
    issues.addIssue({ code: 'custom', message: 'This is not base64.' });
    return z.NEVER;
  }
  return Buffer.from(plain, 'base64');
}

const Attachment = z
  .strictObject({
    filename: Line(255, 1).refine((name) => name.trim() !== '' && !/[/\\]/.test(name), { message: 'A file name, without a path.' }),
    content: z.string().transform(bytesOf).meta({ description: 'base64.', contentEncoding: 'base64' }),
    content_type: z
      .string()
      .max(127)
      .regex(/^(?!multipart\/|message\/)[a-z0-9][\w!#$&^.+-]*\/[a-z0-9][\w!#$&^.+-]*$/i, 'A media type such as application/pdf, without parameters.')
      .optional()
      .meta({ description: 'Default: by the ending of the filename, else application/octet-stream.' }),
  })
  .transform(({ filename, content, content_type: type }) => ({ filename, content, content_type: type ?? typeOf(filename) }));
export type Attachment = z.output<typeof Attachment>;

export const Attachments = z
  .array(Attachment)
  .max(MAX_FILES)
  .superRefine((files, issues) => {
    // A file that was refused is still as it came.
    const total = files.reduce((sum, file) => sum + (Buffer.isBuffer(file?.content) ? file.content.length : 0), 0);
    if (total <= MAX_BYTES) return;
    issues.addIssue({
      code: 'custom',
      message: `The attachments have ${total} bytes; at most ${MAX_BYTES} go.`,
      params: { code: 'payload_too_large' },
    });
  })
  .meta({ description: 'Up to 10 files, 10 MiB together once decoded.' });
