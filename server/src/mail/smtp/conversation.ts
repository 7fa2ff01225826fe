// One connection as commands out and replies in. Every wait has a deadline, and every end has a reason; nothing here throws or rejects.
import type { Socket } from 'node:net';
import type { Clock } from '#platform/clock.ts';
import { faultOf } from '#platform/egress.ts';
import type { Fault } from '../mail.ts';
import type { Deadlines } from './deadlines.ts';
import { type Break, type RawReply, ReplyParser, isBreak, printable } from './replies.ts';

export class Conversation {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  readonly #parser = new ReplyParser();
  readonly #replies: RawReply[] = [];
  #owed: number;
  #until: number;
  #waiting: ((answer: RawReply | Break) => void) | null = null;
  #ended: Break | null = null;

  /** `owed`: how many replies the server already owes us (the banner is one). The socket is ours from here on. */
  constructor(socket: Socket, owed: number, clock: Clock, deadlines: Deadlines) {
    this.#socket = socket;
    this.#owed = owed;
    this.#clock = clock;
    this.#deadlines = deadlines;
    this.#until = clock.monotonic() + deadlines.total;
    socket.setNoDelay(true);
    socket.on('data', this.#onData).on('error', this.#onError).on('end', this.#onClose).on('close', this.#onClose);
  }

  /** Why nothing more can be said, null while the conversation lives. */
  get ended(): Break | null {
    return this.#ended;
  }

  /** The total deadline counts from this moment. */
  restartTotal(): void {
    this.#until = this.#clock.monotonic() + this.#deadlines.total;
  }

  /** Write one command, or several at once (RFC 2920), that the server answers with `replies` replies. */
  send(commands: string, replies: number): void {
    if (this.#ended) return;
    this.#owed += replies;
    this.#socket.write(commands);
  }

  /** The next reply, or why none will come. `phase` sets the deadline. */
  read(phase: keyof Deadlines): Promise<RawReply | Break> {
    const ready = this.#replies.shift() ?? this.#ended;
    if (ready) return Promise.resolve(ready);
    return new Promise((resolve) => this.#wait(phase, resolve));
  }

  /** Write the message and wait until the system has taken all of it. A server that speaks meanwhile ends the conversation. */
  sendBody(bytes: Buffer): Promise<Break | null> {
    if (this.#ended) return Promise.resolve(this.#ended);
    return new Promise((resolve) => {
      const settle = this.#wait('body', (answer) => resolve(isBreak(answer) ? answer : null));
      // A failed write also ends the socket, and that settles it with the reason.
      this.#socket.write(bytes, (error) => {
        if (!error && this.#waiting === settle) settle({ code: 0, lines: [] });
      });
    });
  }

  /** Destroy the connection. Only the first reason counts. */
  end(fault: Fault, detail: string, reply: RawReply | null = null): Break {
    if (!this.#ended) {
      this.#ended = { fault, detail, reply };
      this.#socket.destroy();
      this.#waiting?.(this.#ended);
    }
    return this.#ended;
  }

  /**
   * Give the socket away for the TLS handshake. Bytes that came with the answer to STARTTLS were written by nobody we have authenticated
   * (RFC 3207 section 4.2), and end the conversation.
   */
  detach(): Socket | Break {
    if (this.#ended) return this.#ended;
    this.#socket.pause();
    if (!this.#parser.settled || this.#replies.length > 0 || this.#socket.readableLength > 0) {
      return this.end('protocol', 'The server went on talking in plain text behind its answer to STARTTLS.');
    }
    this.#socket.off('data', this.#onData).off('error', this.#onError).off('end', this.#onClose).off('close', this.#onClose);
    // The TLS layer on top reports what happens to the connection; without a listener here the same error would end the process.
    return this.#socket.on('error', () => undefined);
  }

  #wait(phase: keyof Deadlines, resolve: (answer: RawReply | Break) => void): (answer: RawReply | Break) => void {
    // The total must never cut the dot short: a message given up there is one of unknown fate. QUIT may come long after it.
    const left = phase === 'dot' || phase === 'quit' ? Infinity : this.#until - this.#clock.monotonic();
    const limit = Math.max(0, Math.min(this.#deadlines[phase], left));
    const cancel = this.#clock.after(limit, () => this.end('timeout', `The server did not answer within ${Math.round(limit)} ms (${phase}).`));
    const settle = (answer: RawReply | Break) => {
      cancel();
      this.#waiting = null;
      resolve(answer);
    };
    this.#waiting = settle;
    return settle;
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#ended) return;
    for (const reply of this.#parser.push(chunk)) this.#take(reply);
    if (this.#parser.problem) this.end('protocol', `The server is not understood. ${this.#parser.problem}`);
  };

  #take(reply: RawReply): void {
    if (this.#owed === 0) {
      const words = printable(`${reply.code} ${reply.lines.join(' ')}`);
      this.end(reply.code === 421 ? 'closed' : 'protocol', `The server spoke unasked: ${words}`, reply);
      return;
    }
    this.#owed -= 1;
    if (this.#waiting) this.#waiting(reply);
    else this.#replies.push(reply);
  }

  readonly #onError = (error: NodeJS.ErrnoException): void => {
    this.end(faultOf(error), `The connection failed (${error.code ?? 'no code'}).`);
  };

  readonly #onClose = (): void => {
    this.end('closed', 'The server closed the connection.');
  };
}
