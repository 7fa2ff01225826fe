// What an SMTP server says: found in the byte stream, bounded, and made fit to be stored.
import type { Broken, Fault, Refused, SmtpPhase, SmtpReply } from '../mail.ts';

const LF = 10;
const CR = 13;
const HYPHEN = 45;
const SPACE = 32;
const LINE_LIMIT_BYTES = 4096;
const REPLY_LIMIT_BYTES = 65_536;
const TEXT_LIMIT = 500;

/** One whole reply: its code and the text of its lines without code and separator. Untrusted, not yet cleaned. */
export type RawReply = { code: number; lines: string[] };

/** The conversation is over. `reply`: what the server said unasked, where that is the reason. */
export type Break = { fault: Fault; detail: string; reply: RawReply | null };

/** Whether a read ended the conversation instead of yielding a reply. */
export const isBreak = (answer: RawReply | Break): answer is Break => 'fault' in answer;

/**
 * Finds replies (RFC 5321 section 4.2) in chunks cut anywhere. Lines end in CRLF, or in LF from careless servers. A line over 4 KiB, a reply
 * over 64 KiB, or anything that is no reply sets `problem`; from then on nothing more is found.
 */
export class ReplyParser {
  #rest: Buffer | null = null;
  #lines: string[] = [];
  #code = 0;
  #replyBytes = 0;
  #problem: string | null = null;

  /** Why the stream cannot be understood any more, null while it can. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Whether everything that came in belonged to a whole reply. */
  get settled(): boolean {
    return this.#rest === null && this.#lines.length === 0 && this.#problem === null;
  }

  /** Take in a chunk; answers the replies that it completed, in order. */
  push(chunk: Buffer): RawReply[] {
    const found: RawReply[] = [];
    const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#rest = null;
    let start = 0;
    while (this.#problem === null && start < bytes.length) {
      const end = bytes.indexOf(LF, start);
      if ((end < 0 ? bytes.length : end) - start > LINE_LIMIT_BYTES) this.#problem = `A line of its reply is longer than ${LINE_LIMIT_BYTES} bytes.`;
      else if (end < 0) {
        this.#rest = bytes.subarray(start);
        break;
      } else this.#line(bytes, start, end, found);
      start = end + 1;
    }
    return found;
  }

  #line(bytes: Buffer, start: number, newline: number, found: RawReply[]): void {
    const end = newline > start && bytes[newline - 1] === CR ? newline - 1 : newline;
    const code = codeAt(bytes, start, end);
    const separator = end - start > 3 ? bytes[start + 3] : SPACE;
    if (code === null || (separator !== SPACE && separator !== HYPHEN)) {
      this.#problem = 'It said something that is no SMTP reply.';
      return;
    }
    this.#replyBytes += newline + 1 - start;
    if (this.#replyBytes > REPLY_LIMIT_BYTES) this.#problem = `Its reply is longer than ${REPLY_LIMIT_BYTES} bytes.`;
    else if (this.#lines.length > 0 && code !== this.#code) this.#problem = 'The lines of its reply carry different codes.';
    else {
      this.#code = code;
      this.#lines.push(bytes.toString('utf8', Math.min(start + 4, end), end));
      if (separator === HYPHEN) return;
      found.push({ code, lines: this.#lines });
      this.#lines = [];
      this.#replyBytes = 0;
    }
  }
}

function codeAt(bytes: Buffer, start: number, end: number): number | null {
  if (end - start < 3) return null;
  const [first, second, third] = [bytes[start]! - 48, bytes[start + 1]! - 48, bytes[start + 2]! - 48];
  // RFC 5321 section 4.2.1 gives a final answer first digits 2 to 5 only.
  if (first < 2 || first > 5 || second < 0 || second > 9 || third < 0 || third > 9) return null;
  return first * 100 + second * 10 + third;
}

// An enhanced status is only believed when its class agrees with the code (RFC 2034 section 4).
const ENHANCED = /^([245]\.\d{1,3}\.\d{1,3})(?:\s+|$)/;

/**
 * A reply as we store it: lines joined by a blank, enhanced status (RFC 3463) taken out, control and format characters removed, at most 500
 * characters. `redact` is applied to every line before anything is cut.
 */
export function replyOf({ code, lines }: RawReply, redact: (line: string) => string = (line) => line): SmtpReply {
  let enhanced: string | null = null;
  const words = lines.map((line) => {
    const status = ENHANCED.exec(line)?.[1];
    if (!status || Number(status[0]) !== Math.floor(code / 100)) return redact(line);
    enhanced ??= status;
    return redact(line.slice(status.length).trimStart());
  });
  return { code, enhanced, text: printable(words.join(' ')) };
}

/** A server's words made fit for a log or a row: no control, format or line-separating characters, at most 500 UTF-16 units. */
export function printable(text: string): string {
  const clean = /^[\x20-\x7e]*$/.test(text) ? text : text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '');
  return clean.trim().slice(0, TEXT_LIMIT).toWellFormed();
}

/** The server's no, in a phase. */
export const refused = (phase: SmtpPhase, reply: RawReply, redact?: (line: string) => string): Refused => ({
  kind: 'refused',
  phase,
  permanent: reply.code >= 500,
  reply: replyOf(reply, redact),
});

/** What a break before the dot means for the caller: the server's no when it said one, else a broken conversation. */
export function lost(phase: Broken['phase'], why: Break): Refused | Broken {
  if (why.reply && why.reply.code >= 400) return refused(phase, why.reply);
  return { kind: 'broken', phase, fault: why.fault, detail: why.detail };
}
