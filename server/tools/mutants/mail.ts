// Guards of what is said to other servers: no injected line, no plain login, no stranger's certificate, no private address.
import { type Mutant, edit } from './mutant.ts';

const SMTP = 'server/src/mail/smtp';
const CONNECT = `${SMTP}/connect.ts`;
const EGRESS = 'server/src/platform/egress.ts';
const CONNECT_TEST = `${SMTP}/connect.test.ts`;
const SESSION_TEST = `${SMTP}/session.test.ts`;
const EGRESS_TEST = 'server/src/platform/egress.test.ts';

export const MAIL: readonly Mutant[] = [
  {
    guard: 'header-injection',
    protects: 'No line break in a subject or a name becomes a header of its own.',
    edits: [edit('server/src/mail/compose/header.ts', 'if (code < 32 ||', 'if (code < 9 ||')],
    killedBy: { 'server/src/mail/compose/compose.test.ts': ['control characters in a header throw'] },
  },
  {
    guard: 'envelope-injection',
    protects: 'No address leaves its brackets and becomes a command.',
    edits: [edit(`${SMTP}/envelope.ts`, 'if (/[\\x00-\\x20\\x7f<>]/.test(address))', 'if (/[\\x7f]/.test(address))')],
    killedBy: { [SESSION_TEST]: ['an address that would leave its brackets is never written'] },
  },
  {
    guard: 'credential-injection',
    protects: 'No password with a line break becomes a command.',
    edits: [
      edit(`${SMTP}/login.ts`, 'if (parts.some((part) => forbidden.test(part)))', "if (parts.every((part) => part === '' && forbidden.test(part)))"),
    ],
    killedBy: { [CONNECT_TEST]: ['credentials and names that would end a line are a bug, and no connection is made'] },
  },
  {
    guard: 'bare-line-ends',
    protects: 'No bare CR or LF smuggles a second message behind the first.',
    edits: [
      edit(
        `${SMTP}/dot-stuffing.ts`,
        'if ((byte === LF) !== (previous === CR)) throw new Error(`The message has a bare CR or LF near byte ${index}.`);',
      ),
    ],
    killedBy: { [`${SMTP}/dot-stuffing.test.ts`]: ['a CR or LF that stands alone is a bug upstream, and never sent'] },
  },
  {
    guard: 'dot-stuffing',
    protects: 'No line of a text ends the message before its end.',
    edits: [
      edit(
        `${SMTP}/dot-stuffing.ts`,
        'if (byte === DOT && previous === LF) dots.push(index);',
        'if (byte === DOT && previous === DOT) dots.push(index);',
      ),
    ],
    killedBy: { [`${SMTP}/dot-stuffing.test.ts`]: ['any lines come out of the wire as they went in, and only the final dot ends them'] },
  },
  {
    guard: 'refused-recipient-no-message',
    protects: 'A message whose recipient was refused is never given to a server that wants it all the same.',
    edits: [
      edit(
        `${SMTP}/envelope.ts`,
        "else if (phase === 'data' && no) {",
        "else if (phase === 'data' && no && !recipient) {\n      no = null;\n    } else if (phase === 'data' && no) {",
      ),
    ],
    killedBy: { [SESSION_TEST]: ['a server that wants a message although it refused the only recipient gets none'] },
  },
  {
    guard: 'starttls-stripping',
    protects: 'A server that offers no STARTTLS gets no password in plain text.',
    edits: [
      edit(
        CONNECT,
        "if (!offered.startTls) return lost('starttls', talk.end('tls', 'The server does not offer STARTTLS.'));",
        'if (!offered.startTls) return { talk, offered };',
      ),
    ],
    killedBy: { [CONNECT_TEST]: ['no STARTTLS, no credentials'] },
  },
  {
    guard: 'starttls-injection',
    protects: 'Words that came in plain text do not count as said under TLS.',
    edits: [
      edit(
        `${SMTP}/conversation.ts`,
        'if (!this.#parser.settled || this.#replies.length > 0 || this.#socket.readableLength > 0) {',
        'if (this.#replies.length > 1_000) {',
      ),
    ],
    killedBy: { [CONNECT_TEST]: ['words injected before the handshake end the conversation'] },
  },
  {
    guard: 'starttls-asks-again',
    protects: 'What was offered before TLS may have been anybody´s words, and is forgotten.',
    edits: [
      edit(
        CONNECT,
        "if (!('kind' in again)) return { talk: secured, offered: again };",
        "if (!('kind' in again)) return { talk: secured, offered };",
      ),
    ],
    killedBy: { [CONNECT_TEST]: ['what was offered before TLS is forgotten'] },
  },
  {
    guard: 'certificate',
    protects: 'A server must prove that it is the one that was named.',
    edits: [
      edit(EGRESS, 'const tls = connectTls({ ...tlsOptions(host),', 'const tls = connectTls({ rejectUnauthorized: false, ...tlsOptions(host),'),
    ],
    killedBy: {
      [EGRESS_TEST]: ['a certificate counts when the authority is known and the name is right', 'an upgrade is judged like a connection'],
      [CONNECT_TEST]: ['a certificate of a stranger, or for another host, is not taken'],
    },
  },
  {
    guard: 'login-not-repeated',
    protects: 'A server that repeats our password does not get it into what is kept and shown.',
    edits: [edit(`${SMTP}/login.ts`, "refused('auth', reply, redaction(credentials))", "refused('auth', reply)")],
    killedBy: { [CONNECT_TEST]: ['a server that repeats our login does not get it into what we keep'] },
  },
  {
    guard: 'private-addresses',
    protects: 'No customer reaches the network behind the service.',
    edits: [edit(EGRESS, 'if (!policy.allowPrivate && !addresses.every(isPublic))', 'if (!policy.allowPrivate && addresses.length > 100)')],
    killedBy: {
      [EGRESS_TEST]: ['no spelling of a private address is ever dialled'],
      'server/src/engine/webhooks/zoo.test.ts': [
        'a live endpoint whose name leads to a private address is not connected to, however often its answer changes',
      ],
    },
  },
  {
    guard: 'private-addresses-every-one',
    protects: 'One private address among public ones condemns the name: so rebinding begins.',
    edits: [edit(EGRESS, '!addresses.every(isPublic)', '!addresses.some(isPublic)')],
    killedBy: { [EGRESS_TEST]: ['one private address among many condemns the name, wherever it stands'] },
  },
  {
    guard: 'address-looked-up-once',
    protects: 'The address that was judged is the one that is dialled.',
    edits: [edit(EGRESS, 'connectTcp({ host: address, port,', 'connectTcp({ host: address && host, port,')],
    killedBy: { [EGRESS_TEST]: ['a name is asked for once, and the address that was judged is the one that is dialled'] },
  },
  {
    guard: 'numeric-host-names',
    protects: 'A number that resolvers read as an address is refused by its spelling.',
    edits: [edit(EGRESS, "throw new EgressError('blocked_address', `${host} is not a host name.`);", 'literal.trim();')],
    killedBy: { [EGRESS_TEST]: ['a number that resolvers read as an address is no host name, wherever it leads'] },
  },
  {
    guard: 'smtp-deadlines',
    protects: 'A server that is slow at every step holds its lane for a bounded time.',
    edits: [
      edit(
        `${SMTP}/conversation.ts`,
        "phase === 'dot' || phase === 'quit' ? Infinity : this.#until - this.#clock.monotonic()",
        "phase === 'dot' || phase === 'quit' || this.#until > 0 ? Infinity : this.#until - this.#clock.monotonic()",
      ),
    ],
    killedBy: { [SESSION_TEST]: ['the total deadline cuts a server that is slow at every step'] },
  },
];
