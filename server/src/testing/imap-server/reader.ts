import type { Socket } from 'node:net';
import { type Token, tokenize } from './tokens.ts';

export type Command = { tag: string; name: string; args: Token[]; line: string };

const MAX_LITERAL = 32 * 1024 * 1024;

/** Gathers bytes into lines and commands, literals included. A synchronizing literal is answered with "+". */
export class CommandReader {
  #chunks: Buffer = Buffer.alloc(0);
  #text = '';
  #literals: Buffer[] = [];
  #waiting: ((line: string | null) => void) | null = null;
  #lines: string[] = [];
  #literalLeft = -1;
  #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Feed bytes from the connection. */
  push(bytes: Buffer): void {
    this.#chunks = this.#chunks.length === 0 ? bytes : Buffer.concat([this.#chunks, bytes]);
    while (this.#literalLeft >= 0 ? this.#takeLiteral() : this.#takeLine());
  }

  /** The connection ended: whoever waits gets null. */
  end(): void {
    this.#waiting?.(null);
    this.#waiting = null;
  }

  /** The next whole line, literals replaced by markers; null at the end. */
  line(): Promise<string | null> {
    const ready = this.#lines.shift();
    if (ready !== undefined) return Promise.resolve(ready);
    if (this.#socket.destroyed) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** The next command, null at the end. */
  async command(): Promise<Command | null> {
    const line = await this.line();
    if (line === null) return null;
    const [, tag = '', name = '', rest = ''] = /^(\S*) ?((?:UID )?\S*) ?(.*)$/is.exec(line) ?? [];
    const literals = this.#literals;
    this.#literals = [];
    return { tag, name: name.toUpperCase(), args: tokenize(rest, literals), line: rest };
  }

  /** Bytes that came behind the last line: none are allowed before a TLS handshake. */
  get leftover(): number {
    return this.#chunks.length + this.#lines.length;
  }

  #takeLine(): boolean {
    const end = this.#chunks.indexOf('\n');
    if (end < 0) return false;
    const line = this.#chunks.toString('latin1', 0, end).replace(/\r$/, '');
    this.#chunks = this.#chunks.subarray(end + 1);
    const [marker, size, quick] = /\{(\d{1,9})(\+?)\}$/.exec(line) ?? [];
    if (marker === undefined) {
      this.#deliver(this.#text + line);
      this.#text = '';
      return true;
    }
    if (Number(size) > MAX_LITERAL) {
      this.#socket.destroy();
      return false;
    }
    this.#text += line.slice(0, -marker.length);
    this.#literalLeft = Number(size);
    if (!quick) this.#socket.write('+ go on\r\n');
    return true;
  }

  #takeLiteral(): boolean {
    if (this.#chunks.length < this.#literalLeft) return false;
    this.#text += `\0${this.#literals.length}\0`;
    this.#literals.push(this.#chunks.subarray(0, this.#literalLeft));
    this.#chunks = this.#chunks.subarray(this.#literalLeft);
    this.#literalLeft = -1;
    return true;
  }

  #deliver(line: string): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting) waiting(line);
    else this.#lines.push(line);
  }
}
