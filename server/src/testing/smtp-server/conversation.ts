// One client's connection to the scripted server. It works a chunk off command by command and answers a pipelined group in one write.
import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { Clock } from '#platform/clock.ts';
import { authDialogue } from './auth.ts';
import { BodyReader, messageIdOf } from './body.ts';
import type { Action, Connection, Counters, Offers, ReceivedMessage, Script, ScriptPhase, User } from './script.ts';
import { recordsAnyway } from './script.ts';

/** What all connections of a server have in common. */
export type House = {
  clock: Clock;
  security: 'ssl' | 'starttls';
  context: SecureContext;
  users: readonly User[];
  offers: Offers;
  script: Script | undefined;
  counters: Counters;
  accept: (message: ReceivedMessage) => void;
};

const NOTHING = Buffer.alloc(0);

export class ServerConversation {
  readonly #house: House;
  readonly #raw: Socket;
  readonly #connection: Connection;
  #socket: Socket;
  #input: Buffer = NOTHING;
  #output = '';
  #blocked = false;
  #isAnswered = false;
  #dialogue: ReturnType<typeof authDialogue> | null = null;
  #mailFrom: string | null = null;
  #rcptTo: string[] = [];
  #body: BodyReader | null = null;
  #bodyBytes = 0;
  #dropAfter: { bytes: number; reset: boolean } | null = null;

  constructor(house: House, raw: Socket, number: number) {
    this.#house = house;
    this.#raw = raw;
    this.#connection = { number, secured: false, login: null };
    this.#socket = raw;
    raw.setNoDelay(true).on('error', () => undefined);
    if (house.security === 'ssl') this.#secure().once('secure', () => this.#greet());
    else {
      raw.on('data', this.#onData);
      this.#greet();
    }
  }

  #greet(): void {
    this.#ask('banner', {}, () => this.#say('220 localhost ESMTP scripted'));
    this.#flush();
  }

  /** Say something that nobody asked for, such as 421. */
  interject(text: string): void {
    this.#output += text;
    this.#flush();
  }

  drop(reset = false): void {
    this.#blocked = true;
    this.#flush();
    if (reset) this.#raw.resetAndDestroy();
    else this.#socket.end(() => this.#raw.destroy());
  }

  #secure(): TLSSocket {
    this.#raw.off('data', this.#onData);
    const secured = new TLSSocket(this.#raw, { isServer: true, secureContext: this.#house.context });
    secured.on('error', () => undefined).on('data', this.#onData);
    this.#socket = secured;
    this.#connection.secured = true;
    this.#input = NOTHING;
    return secured;
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#input = this.#input.length ? Buffer.concat([this.#input, chunk]) : chunk;
    this.#run();
  };

  #run(): void {
    while (!this.#blocked && this.#input.length > 0) {
      if (this.#body) this.#readBody(this.#body);
      else {
        const end = this.#input.indexOf(10);
        if (end < 0) break;
        const line = this.#input.toString('utf8', 0, end).replace(/\r$/, '');
        this.#input = this.#input.subarray(end + 1);
        this.#command(line);
      }
    }
    this.#flush();
  }

  #flush(more: string | Buffer = ''): void {
    for (const bytes of [this.#output, more]) if (bytes.length > 0 && this.#socket.writable) this.#socket.write(bytes);
    this.#output = '';
  }

  #say(reply: string): void {
    this.#output += `${reply}\r\n`;
  }

  /** A reply with an enhanced status where those are offered. */
  #tell(code: number, status: string, text: string): void {
    this.#say(this.#house.offers.enhancedStatusCodes ? `${code} ${status} ${text}` : `${code} ${text}`);
  }

  #ask(phase: ScriptPhase, about: { recipient?: string; message?: ReceivedMessage }, usual: () => void, forced: () => void = usual): void {
    const action = this.#house.script?.({ connection: this.#connection, phase, ...about });
    if (!action) return usual();
    if (!action.delayMs) return this.#perform(action, forced, about.message);
    this.#blocked = true;
    this.#flush();
    this.#house.clock.after(action.delayMs, () => {
      this.#blocked = false;
      this.#perform(action, forced, about.message);
      this.#run();
    });
  }

  #perform(action: Action, accept: () => void, message?: ReceivedMessage): void {
    if (action.dribbleMs) this.#flush();
    if (message && recordsAnyway(action)) this.#house.accept(message);
    if (action.kind === 'accept') {
      accept();
      this.#output += action.extra ?? '';
    } else if (action.kind === 'reply') {
      this.#isAnswered = this.#body !== null;
      this.#say(`${action.code} ${action.text ?? 'scripted'}`);
    } else if (action.kind === 'raw') this.#flush(action.bytes);
    else if (action.kind === 'hang') {
      this.#blocked = true;
      this.#flush();
      this.#socket.pause();
    } else if (action.afterBytes) this.#dropAfter = { bytes: action.afterBytes, reset: action.reset ?? false };
    else this.drop(action.reset);
    if (action.dribbleMs) this.#dribble(action.dribbleMs);
  }

  #dribble(everyMs: number): void {
    const bytes = this.#output;
    this.#output = '';
    this.#blocked = true;
    const next = (index: number): void => {
      if (!this.#socket.writable) return;
      this.#socket.write(bytes.charAt(index));
      this.#house.clock.after(everyMs, () => {
        if (index + 1 < bytes.length) return next(index + 1);
        this.#blocked = false;
        this.#run();
      });
    };
    next(0);
  }

  #command(line: string): void {
    if (this.#dialogue) return this.#authenticate(line);
    const [verb = ''] = line.split(' ', 1);
    switch (verb.toUpperCase()) {
      case 'EHLO':
        return this.#ask('ehlo', {}, () => this.#ehlo());
      case 'STARTTLS':
        return this.#ask('starttls', {}, () => this.#startTls());
      case 'AUTH':
        return this.#auth(line);
      case 'MAIL':
        return this.#mail(line);
      case 'RCPT':
        return this.#rcpt(line);
      case 'DATA':
        return this.#data();
      case 'RSET':
        return this.#ask('rset', {}, () => {
          this.#forget();
          this.#tell(250, '2.0.0', 'ok');
        });
      case 'NOOP':
        return this.#tell(250, '2.0.0', 'ok');
      case 'QUIT':
        return this.#ask('quit', {}, () => {
          this.#tell(221, '2.0.0', 'bye');
          this.drop();
        });
      default:
        return this.#tell(500, '5.5.2', 'unknown command');
    }
  }

  #ehlo(): void {
    const { offers, security } = this.#house;
    const lines = ['localhost'];
    if (offers.pipelining) lines.push('PIPELINING');
    if (offers.size !== null) lines.push(`SIZE ${offers.size}`);
    if (offers.eightBitMime) lines.push('8BITMIME');
    if (offers.smtpUtf8) lines.push('SMTPUTF8');
    if (offers.enhancedStatusCodes) lines.push('ENHANCEDSTATUSCODES');
    if (offers.startTls && security === 'starttls' && !this.#connection.secured) lines.push('STARTTLS');
    if (offers.auth.length > 0) lines.push(`AUTH ${offers.auth.join(' ')}`);
    lines.forEach((line, index) => this.#say(`250${index === lines.length - 1 ? ' ' : '-'}${line}`));
  }

  #startTls(): void {
    this.#tell(220, '2.0.0', 'go ahead');
    // Behind whatever the script adds to the reply, which still belongs to the plain text.
    queueMicrotask(() => this.#secure());
  }

  #auth(line: string): void {
    if (!this.#connection.secured) this.#house.counters.clearLogins += 1;
    this.#ask('auth', {}, () => {
      const [, mechanism = '', initial] = line.split(' ');
      if (!this.#house.offers.auth.includes(mechanism.toUpperCase())) return this.#tell(504, '5.5.4', 'unknown mechanism');
      this.#dialogue = authDialogue(mechanism.toUpperCase(), this.#house.users);
      return this.#authenticate(initial ?? null);
    });
  }

  #authenticate(line: string | null): void {
    const step = this.#dialogue?.(line);
    if (!step) return;
    if ('challenge' in step) return this.#say(`334 ${step.challenge}`);
    this.#dialogue = null;
    this.#connection.login = step.verdict;
    return step.verdict === null ? this.#tell(535, '5.7.8', 'authentication failed') : this.#tell(235, '2.7.0', 'welcome');
  }

  #mail(line: string): void {
    this.#ask('mail', {}, () => {
      if (this.#connection.login === null) return this.#tell(530, '5.7.0', 'log in first');
      if (this.#mailFrom !== null) return this.#tell(503, '5.5.1', 'one sender only');
      this.#mailFrom = pathIn(line);
      return this.#tell(250, '2.1.0', 'ok');
    });
  }

  #rcpt(line: string): void {
    const recipient = pathIn(line);
    this.#ask('rcpt', { recipient }, () => {
      if (this.#mailFrom === null) return this.#tell(503, '5.5.1', 'MAIL first');
      this.#rcptTo.push(recipient);
      return this.#tell(250, '2.1.5', 'ok');
    });
  }

  #data(): void {
    const begin = () => {
      this.#body = new BodyReader();
      this.#bodyBytes = 0;
      this.#dropAfter = null;
      this.#isAnswered = false;
      this.#say('354 go on');
    };
    this.#ask('data', {}, () => (this.#rcptTo.length > 0 ? begin() : this.#tell(554, '5.5.1', 'no valid recipients')), begin);
  }

  #readBody(body: BodyReader): void {
    const chunk = this.#input;
    this.#input = NOTHING;
    if (this.#bodyBytes === 0) this.#ask('body', {}, () => undefined);
    const found = body.push(chunk);
    const bytes = chunk.length - (found?.rest.length ?? 0);
    this.#bodyBytes += bytes;
    this.#house.counters.bodyBytes += bytes;
    if (this.#dropAfter && this.#bodyBytes >= this.#dropAfter.bytes) return this.drop(this.#dropAfter.reset);
    if (this.#blocked || !found) return;
    this.#input = found.rest;
    this.#body = null;
    this.#house.counters.dots += 1;
    // What was answered in its midst has its answer, also for a client that had written the dot before it saw that.
    return this.#isAnswered ? this.#forget() : this.#dot(found.raw);
  }

  #dot(raw: Buffer): void {
    const { number: connection, login } = this.#connection;
    const message = { connection, login, mailFrom: this.#mailFrom ?? '', rcptTo: this.#rcptTo, raw, messageId: messageIdOf(raw) };
    this.#forget();
    this.#ask('dot', { message }, () => {
      this.#house.accept(message);
      this.#tell(250, '2.0.0', 'accepted');
    });
  }

  #forget(): void {
    this.#mailFrom = null;
    this.#rcptTo = [];
  }
}

/** What stands between the angle brackets of MAIL or RCPT. */
const pathIn = (line: string) => line.slice(line.indexOf('<') + 1, line.lastIndexOf('>'));
