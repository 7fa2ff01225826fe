import type { Socket } from 'node:net';
import { type Hall, IN_ACCOUNT, IN_FOLDER, OPEN, type Speaker, text } from './commands.ts';
import { type Command, CommandReader } from './reader.ts';
import type { Account, Folder } from './store.ts';
import type { Token } from './tokens.ts';

/** One connection: commands in order, one at a time. */
export class ImapSession implements Speaker {
  selected: Folder | null = null;
  #socket: Socket;
  #reader: CommandReader;
  #hall: Hall;
  #account: Account | null = null;
  #idling = false;
  #pending: string[] = [];

  constructor(socket: Socket, hall: Hall) {
    this.#socket = socket;
    this.#hall = hall;
    this.#reader = this.#listen(socket);
  }

  /** News of the selected folder: at once while idling, else before the next answer (RFC 3501, section 5.2). */
  tell(line: string): void {
    this.#pending.push(line);
    if (this.#idling) this.#flush();
  }

  async run(): Promise<void> {
    if (!(await this.#stopped('GREETING', '', '*'))) this.say(`* OK [CAPABILITY ${this.capabilities()}] ready`);
    for (;;) {
      const command = await this.#reader.command();
      if (command === null) return;
      const secret = command.name === 'LOGIN' || command.name === 'AUTHENTICATE';
      if (await this.#stopped(command.name, secret ? '' : command.line, command.tag)) continue;
      await this.#answer(command);
    }
  }

  /** Plays the script's part. True when nothing more is to be answered. */
  async #stopped(name: string, line: string, tag: string): Promise<boolean> {
    const reaction = this.#hall.react(name, line);
    if (reaction === undefined) return false;
    if (reaction === 'hang') return true;
    if (reaction === 'drop') {
      this.#socket.destroy();
      return true;
    }
    if ('no' in reaction) this.say(`${tag} NO ${reaction.no}`);
    if ('raw' in reaction) this.#socket.write(reaction.raw.replaceAll('{tag}', tag), 'latin1');
    if ('before' in reaction) this.#socket.write(reaction.before, 'latin1');
    if ('first' in reaction) reaction.first();
    if ('delayMs' in reaction) await this.#hall.pause(reaction.delayMs);
    return 'no' in reaction || 'raw' in reaction;
  }

  async #answer(command: Command): Promise<void> {
    const { tag, name, args } = command;
    if (name === 'STARTTLS') return this.#startTls(tag);
    if (name === 'AUTHENTICATE') return this.#authenticate(tag, args);
    if (name === 'IDLE') return this.#idle(tag);
    const result = name in OPEN ? OPEN[name]?.(this, args) : this.#account ? this.#signedIn(name, args) : 'BAD log in first';
    this.#flush();
    this.say(`${tag} ${result ?? 'BAD unknown command'}`);
    if (name === 'LOGOUT') this.#socket.end();
  }

  #signedIn(name: string, args: Token[]): string {
    const account = this.#account;
    if (!account) return 'BAD log in first';
    const inAccount = IN_ACCOUNT[name];
    if (inAccount) return inAccount(this, args, account, this.#hall);
    const inFolder = IN_FOLDER[name.replace(/^UID /, '')];
    if (!inFolder) return 'BAD unknown command';
    return this.selected ? inFolder(this, args, this.selected, name.startsWith('UID '), account) : 'BAD select a folder first';
  }

  isOf(account: Account | undefined): boolean {
    return account !== undefined && this.#account === account;
  }

  /** The tagged answer to a login, by whichever command it came. */
  signIn(username: string, password: string): string {
    if (this.#hall.upgrade) return 'NO [PRIVACYREQUIRED] not without TLS';
    this.#account = this.#hall.account(username, password);
    return this.#account ? `OK [CAPABILITY ${this.capabilities()}] welcome` : 'NO [AUTHENTICATIONFAILED] wrong name or password';
  }

  capabilities(): string {
    const logins = this.#hall.upgrade ? 'STARTTLS LOGINDISABLED' : 'AUTH=PLAIN AUTH=XOAUTH2 SASL-IR';
    const offers = `IMAP4rev1 ID IDLE NAMESPACE SPECIAL-USE LITERAL+ UNSELECT MOVE ${logins}`.split(' ');
    return offers.filter((one) => !this.#hall.without.includes(one)).join(' ');
  }

  /** A line, or bytes that bring their own line end. */
  say(line: string | Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(typeof line === 'string' ? Buffer.from(`${line}\r\n`, 'latin1') : line);
  }

  #flush(): void {
    for (const line of this.#pending.splice(0)) this.say(line);
  }

  #listen(socket: Socket): CommandReader {
    const reader = new CommandReader(socket);
    socket.on('data', (bytes: Buffer) => reader.push(bytes));
    socket.on('close', () => reader.end());
    // A client that goes away in mid-sentence is one of the things that are tested.
    socket.on('error', () => undefined);
    return reader;
  }

  async #startTls(tag: string): Promise<void> {
    if (!this.#hall.upgrade || this.#reader.leftover > 0) return this.say(`${tag} BAD not now`);
    this.#socket.removeAllListeners('data');
    this.say(`${tag} OK begin`);
    const secured = await this.#hall.upgrade(this.#socket);
    if (!secured) return;
    this.#hall = { ...this.#hall, upgrade: null };
    this.#socket = secured;
    this.#reader = this.#listen(secured);
  }

  /** SASL PLAIN (RFC 4616) and XOAUTH2, whose access token is the user's password here. */
  async #authenticate(tag: string, [mechanism, initial]: Token[]): Promise<void> {
    const name = text(mechanism).toUpperCase();
    if (name !== 'PLAIN' && name !== 'XOAUTH2') return this.say(`${tag} NO unknown mechanism`);
    if (initial === undefined) this.say('+ ');
    const response = Buffer.from((initial === undefined ? await this.#reader.line() : text(initial)) ?? '', 'base64').toString('utf8');
    const [, username = '', password = ''] =
      (name === 'PLAIN' ? /^[^\0]*\0([^\0]*)\0(.*)$/s : /^user=(.*)\x01auth=Bearer (.*)\x01\x01$/s).exec(response) ?? [];
    const answer = this.signIn(username, password);
    if (name === 'XOAUTH2' && answer.startsWith('NO')) {
      this.say(`+ ${Buffer.from('{"status":"400"}').toString('base64')}`);
      await this.#reader.line();
    }
    this.say(`${tag} ${answer}`);
  }

  async #idle(tag: string): Promise<void> {
    this.say('+ idling');
    this.#idling = true;
    this.#flush();
    await this.#reader.line();
    this.#idling = false;
    this.say(`${tag} OK done`);
  }
}
