// An authenticated connection: one message after another, each held before its final dot.
import type { Accepted, Broken, Envelope, HeldMessage, Refused, SmtpSession, Unknown, Unwritten } from '../mail.ts';
import type { Capabilities } from './capabilities.ts';
import type { Conversation } from './conversation.ts';
import { wireBody } from './dot-stuffing.ts';
import { announce, commandsFor } from './envelope.ts';
import { type Break, isBreak, lost, refused, replyOf } from './replies.ts';

type State = 'idle' | 'busy' | 'closed';

/** The contract of `SmtpSession` over a conversation that has logged in. */
export class Session implements SmtpSession {
  readonly sizeLimit: number | null;
  readonly #talk: Conversation;
  readonly #offered: Capabilities;
  #state: State = 'idle';

  constructor(talk: Conversation, offered: Capabilities) {
    this.#talk = talk;
    this.#offered = offered;
    this.sizeLimit = offered.sizeLimit;
  }

  get usable(): boolean {
    return this.#state === 'idle' && this.#talk.ended === null;
  }

  async offer(envelope: Envelope, message: Buffer): Promise<HeldMessage | Refused | Broken> {
    if (this.#state !== 'idle') throw new Error(`A message was offered to a session that is ${this.#state}.`);
    const { bytes, eightBit } = wireBody(message);
    const commands = commandsFor(envelope, message.length, eightBit, this.#offered);
    if (!Array.isArray(commands)) return commands;
    if (this.#talk.ended) return lost('mail', this.#talk.ended);
    this.#state = 'busy';
    this.#talk.restartTotal();
    let no = await announce(this.#talk, commands, this.#offered.pipelining);
    if (!no) {
      const broken = await this.#talk.sendBody(bytes);
      if (!broken) return this.#hold();
      no = lost('body', broken);
    }
    this.#becomeIdle();
    return no;
  }

  #hold(): HeldMessage {
    // Each message carries its own mark, so that a handle used late cannot touch the message after it.
    let waiting = true;
    return {
      kind: 'held',
      release: () => {
        if (!waiting) throw new Error('A held message was released twice, or after it was aborted.');
        waiting = false;
        return this.#release();
      },
      abort: () => {
        // After release the verdict is on its way, and destroying the connection would only lose it.
        if (waiting) this.#finish('The message was aborted.');
        waiting = false;
      },
    };
  }

  async #release(): Promise<Accepted | Refused | Unwritten | Unknown> {
    const before = this.#talk.ended;
    if (before) {
      this.#becomeIdle();
      if (before.reply && before.reply.code >= 400) return refused('body', before.reply);
      return { kind: 'unwritten', detail: `The connection was lost before the final dot (${before.fault}). ${before.detail}` };
    }
    this.#talk.send('.\r\n', 1);
    const reply = await this.#talk.read('dot');
    this.#becomeIdle();
    if (isBreak(reply)) return unknown(reply);
    if (reply.code < 300) return { kind: 'accepted', reply: replyOf(reply) };
    if (reply.code < 400) return unknown(this.#talk.end('protocol', `The server answered the final dot with ${reply.code}.`));
    if (reply.code === 421) this.#talk.end('closed', 'The server closes the connection (421).');
    return refused('dot', reply);
  }

  #becomeIdle(): void {
    if (this.#state === 'busy') this.#state = 'idle';
  }

  #finish(why: string): void {
    this.#state = 'closed';
    this.#talk.end('closed', why);
  }

  async close(): Promise<void> {
    if (this.usable) {
      this.#state = 'closed';
      this.#talk.send('QUIT\r\n', 1);
      await this.#talk.read('quit');
    }
    this.#finish('The session was closed.');
  }
}

const unknown = ({ fault, detail }: Break): Unknown => ({ kind: 'unknown', phase: 'dot', fault, detail });
