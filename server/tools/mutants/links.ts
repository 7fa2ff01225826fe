// Guards of the addresses that stand in mails, which anybody may call.
import { type Mutant, edit } from './mutant.ts';

const TOKEN = 'server/src/resources/links/token.ts';
const JUDGE = 'server/src/resources/hits/judge.ts';
const LINKS_TEST = 'server/src/resources/links/links.test.ts';
const HITS_TEST = 'server/src/resources/hits/hits.test.ts';
const WAY_OUT_TEST = 'server/src/resources/unsubscribes/unsubscribes.test.ts';

export const LINKS: readonly Mutant[] = [
  {
    guard: 'token-signature',
    protects: 'Nobody can make up the link of somebody else.',
    edits: [
      edit(
        TOKEN,
        "if (!box.isSigned(said, 'link', bytes.subarray(SIGNED_BYTES))) return null;",
        "box.isSigned(said, 'link', bytes.subarray(SIGNED_BYTES));",
      ),
    ],
    killedBy: { [LINKS_TEST]: ['[X3] a token says what it was made for; another purpose, any other bit, length or key, and it says nothing'] },
  },
  {
    guard: 'token-purpose',
    protects: 'The token of a picture, which programs load by themselves, unsubscribes nobody.',
    edits: [edit(TOKEN, 'find((one) => headOf(purpose, one) === said[0])', 'find((one) => (headOf(purpose, one) & 1) === (said[0]! & 1))')],
    killedBy: { [LINKS_TEST]: ['[X3] a token says what it was made for; another purpose, any other bit, length or key, and it says nothing'] },
  },
  {
    guard: 'unsubscribe-by-post-only',
    protects: 'Programs that follow every link of a mail unsubscribe nobody.',
    edits: [edit('server/src/resources/unsubscribes/routes.ts', "if (method === 'POST') {", "if (method !== 'HEAD') {")],
    killedBy: { [WAY_OUT_TEST]: ['[X1] to look changes nothing: GET, HEAD, OPTIONS and what no page takes, by a browser or by a scanner'] },
  },
  {
    guard: 'unsubscribe-suppresses',
    protects: 'Who unsubscribes is left alone by everything, also when the contact is made anew.',
    edits: [
      edit('server/src/resources/unsubscribes/unsubscribe.ts', "await suppress(ctx, { email, reason: 'unsubscribe', sourceSendId: send.id });"),
    ],
    killedBy: {
      [WAY_OUT_TEST]: [
        '[X4] a hundred times at once: everything ends once, is told once, and nothing leaves any more',
        'the words in an answer do what the link does, besides being an answer',
      ],
    },
  },
  {
    guard: 'unsubscribe-ends-every-campaign',
    protects: 'Who unsubscribes in one campaign is written to by no other.',
    edits: [
      edit(
        'server/src/resources/unsubscribes/unsubscribe.ts',
        "await stopLeads(ctx, enrollments, 'unsubscribed');",
        "await stopLeads(ctx, enrollments.slice(0, 1), 'unsubscribed');",
      ),
    ],
    killedBy: {
      [WAY_OUT_TEST]: [
        '[X4] a hundred times at once: everything ends once, is told once, and nothing leaves any more',
        'the words in an answer do what the link does, besides being an answer',
      ],
    },
  },
  {
    guard: 'no-open-redirect',
    protects: 'Our links lead where the mail led, and to nothing but the web.',
    edits: [
      edit(
        'server/src/resources/hits/routes.ts',
        'const target = kept === undefined ? null : webAddress(kept);',
        'const target = kept === undefined ? webAddress(visit.token) : kept;',
      ),
    ],
    killedBy: { [HITS_TEST]: ['[X7] what is no address of the web is not gone to, however it came into the table'] },
  },
  {
    guard: 'guesses-are-slowed',
    protects: 'Nobody tries tokens by the thousand.',
    edits: [
      edit(
        'server/src/web/public.ts',
        'if (retryAfter === undefined || otherwise.status === 200) return otherwise;',
        'if (retryAfter !== -1) return otherwise;',
      ),
    ],
    killedBy: { [WAY_OUT_TEST]: ['[X3] [X10] what is no link of ours looks the same, whatever is wrong with it, and is soon too much'] },
  },
  {
    guard: 'scanner-by-name',
    protects: 'A program that checks links is no reader.',
    edits: [edit(JUDGE, '!PROXY.test(userAgent) && PROGRAM.test(userAgent)', 'PROXY.test(userAgent) && PROGRAM.test(userAgent)')],
    killedBy: { [HITS_TEST]: ['who is taken for what'] },
  },
  {
    guard: 'scanner-by-time',
    protects: 'Who comes within seconds of the delivery is no reader.',
    edits: [edit(JUDGE, 'sinceSentMs === null || sinceSentMs < TOO_SOON_MS', 'sinceSentMs !== null && sinceSentMs < 0 * TOO_SOON_MS')],
    killedBy: { [HITS_TEST]: ['[X12] a scanner that calls up everything within ten seconds of the delivery is no reader'] },
  },
  {
    guard: 'scanner-by-number',
    protects: 'Who follows several links at once is no reader.',
    edits: [edit(JUDGE, "kind === 'click' && otherLinks > 0", "kind === 'click' && otherLinks > 1_000")],
    killedBy: { [HITS_TEST]: ['several links at once show a scanner late; what was taken for a reader before is corrected'] },
  },
  {
    guard: 'first-open-once',
    protects: 'A mail is opened for the first time once, however many come at once.',
    edits: [
      edit('server/src/resources/hits/record.ts', 'const send = await lockSend(ctx, sendId);', 'const send = await sendById(ctx, sendId);'),
      edit('server/src/resources/hits/record.ts', 'import { type Send, lockSend, outboundOf }', 'import { type Send, outboundOf, sendById }'),
    ],
    killedBy: { [HITS_TEST]: ['one first open, however many come at once'] },
  },
];
