// Guards of what is told to receivers, and of what receivers may believe.
import { type Mutant, edit } from './mutant.ts';

const ENGINE = 'server/src/engine/webhooks';
const RESOURCE = 'server/src/resources/webhooks';
const FINISH = `${ENGINE}/finish.ts`;
const FAN_OUT = `${ENGINE}/fan-out.ts`;
const VERIFY = 'sdk/src/webhooks.ts';
const DELIVERY_TEST = `${ENGINE}/delivery.test.ts`;
const ZOO_TEST = `${ENGINE}/zoo.test.ts`;
const URL_TEST = `${RESOURCE}/url.test.ts`;
const SDK_TEST = 'sdk/test/webhooks.test.ts';
const TIMETABLE = 'the timetable of retries: seven attempts, one event id, then the failure is told to the others only';

export const WEBHOOKS: readonly Mutant[] = [
  {
    guard: 'sdk-verify-signature',
    protects: 'A receiver believes nothing that was not signed with its secret.',
    edits: [edit(VERIFY, 'if (!matches.includes(true)) throw', 'if (matches.length === 0) throw')],
    killedBy: { [SDK_TEST]: ['anything changed is refused', 'after a rotation one of several signatures is enough'] },
  },
  {
    guard: 'sdk-verify-time',
    protects: 'A delivery that somebody has recorded cannot be played again later.',
    edits: [edit(VERIFY, 'if (Math.abs(now.getTime() / 1000 - Number(time)) > tolerance)', 'if (Number(time) - now.getTime() / 1000 > tolerance)')],
    killedBy: { [SDK_TEST]: ['the time may be off by the tolerance, either way'] },
  },
  {
    guard: 'sdk-verify-signs-the-time',
    protects: 'The time of a recorded delivery cannot be renewed.',
    edits: [edit(VERIFY, 'if (time === undefined || times.length > 1 ||', 'if (time === undefined ||')],
    killedBy: { [SDK_TEST]: ['anything changed is refused'] },
  },
  {
    guard: 'webhook-url-public',
    protects: 'No endpoint is registered at a private address.',
    edits: [edit(`${RESOURCE}/url.ts`, 'if (!allowPrivate && !mayBePublic(url.hostname))', "if (!allowPrivate && url.hostname === '')")],
    killedBy: { [URL_TEST]: ['no spelling of a private host is taken where only public ones may be'] },
  },
  {
    guard: 'webhook-url-https',
    protects: 'Events of live mode do not cross the Internet in plain text.',
    edits: [edit(`${RESOURCE}/url.ts`, "if (mode === 'live' && url.protocol !== 'https:')", "if (mode === 'live' && url.protocol === 'ftp:')")],
    killedBy: { [URL_TEST]: ['live endpoints are https; what is public and plain is taken as it is'] },
  },
  {
    guard: 'webhook-redirect',
    protects: 'A redirect is a failure: no receiver sends our requests elsewhere.',
    edits: [edit(`${RESOURCE}/rules.ts`, 'status >= 200 && status < 300', 'status >= 200 && status < 400')],
    killedBy: { [ZOO_TEST]: ['a redirect is a failure, and nobody goes there'] },
  },
  {
    guard: 'webhook-failure-of-a-failure',
    protects: 'Two dead endpoints do not go on about each other for ever.',
    edits: [edit(FINISH, " || task.event_type === 'webhook.delivery.failed') continue;", ') continue;')],
    killedBy: { [DELIVERY_TEST]: ['two dead endpoints do not go on about each other for ever'] },
  },
  {
    guard: 'webhook-failure-told-to-others',
    protects: 'What an endpoint failed to take is told to the others, not to it.',
    edits: [
      edit(
        FAN_OUT,
        "and (ev.type <> 'webhook.delivery.failed' or ev.resource_id <> e.id) ${besides}",
        'and (ev.type is not null or ev.resource_id <> e.id) ${besides}',
      ),
    ],
    killedBy: { [DELIVERY_TEST]: [TIMETABLE] },
  },
  {
    guard: 'webhook-retries-end',
    protects: 'After seven attempts it is said that an event could not be delivered.',
    edits: [edit(`${RESOURCE}/rules.ts`, 'const wait = RETRY_AFTER_MS[failures - 1];', 'const wait = RETRY_AFTER_MS[failures - 1] ?? 24 * HOUR;')],
    killedBy: { [DELIVERY_TEST]: [TIMETABLE] },
  },
  {
    guard: 'webhook-hopeless',
    protects: 'An endpoint that has failed for a week is let alone.',
    edits: [
      edit(FINISH, 'if (!after.disabled && isHopeless(after, ctx.now))', 'if (!after.disabled && isHopeless(after, ctx.now) && after.url === "")'),
    ],
    killedBy: { [DELIVERY_TEST]: ['after seven days of nothing but failures an endpoint is disabled; one success in between begins the count anew'] },
  },
  {
    guard: 'webhook-hopeless-needs-both',
    protects: 'A short outage, or few events over a long one, disables nothing.',
    edits: [
      edit(
        `${RESOURCE}/rules.ts`,
        '>= HOPELESS_AFTER_MS && attempts >= HOPELESS_ATTEMPTS',
        '>= HOPELESS_AFTER_MS && attempts > 0 * HOPELESS_ATTEMPTS',
      ),
    ],
    killedBy: { [DELIVERY_TEST]: ['seven failures within less than seven days, or fewer over more, do not disable'] },
  },
  {
    guard: 'webhook-verified-first',
    protects: 'Nobody is told anything before it has proved that it wants to be.',
    edits: [
      edit(FAN_OUT, 'where e.verified_at is not null and not e.disabled and ${condition}', 'where not e.disabled and ${condition}'),
      edit(`${ENGINE}/points.ts`, 'where e.verified_at is not null and not e.disabled and (e.taken', 'where not e.disabled and (e.taken'),
    ],
    pair: 'Unverified endpoints are not looked for, and not taken up.',
    killedBy: { [DELIVERY_TEST]: ['an endpoint is asked to prove itself, and hears of nothing else before; what happened meanwhile waits for it'] },
  },
  {
    guard: 'webhook-late-outcome',
    protects: 'The late outcome of an attempt that was replaced changes nothing.',
    edits: [
      edit(
        FINISH,
        "and d.webhook_id = done.webhook_id and d.id = done.id and d.status = 'pending'",
        'and d.webhook_id = done.webhook_id and d.id = done.id',
      ),
    ],
    killedBy: {
      [DELIVERY_TEST]: ['an attempt that was posted and not written down is made again under another number, and its late outcome changes nothing'],
    },
  },
  {
    guard: 'webhook-old-url',
    protects: 'An answer of an address that an endpoint has no more proves nothing of the present one.',
    edits: [edit(FINISH, 'if (urlVersion !== before.url_version) continue;')],
    killedBy: { [DELIVERY_TEST]: ['another url is proved anew, and what waits goes there; an answer of the old one proves nothing'] },
  },
  {
    guard: 'webhook-modes',
    protects: 'A live endpoint hears nothing of test mode, and none of another workspace.',
    edits: [edit(FAN_OUT, 'where ev.workspace_id = e.workspace_id and ev.mode = e.mode and', 'where ev.workspace_id = e.workspace_id and')],
    killedBy: { [DELIVERY_TEST]: ['modes do not mix, and neither do workspaces'] },
  },
  {
    guard: 'webhook-log-hides-signatures',
    protects: 'Whoever reads the log of deliveries cannot say them again.',
    edits: [
      edit(
        `${RESOURCE}/exchange.ts`,
        '{ service: `t=${seconds},v1=${REDACTED}`, standard: `v1,${REDACTED}` }',
        '{ service: `t=${seconds},v1=0`, standard: REDACTED }',
      ),
    ],
    killedBy: { [DELIVERY_TEST]: ['the log shows what was sent, and no signature, secret or answer'] },
  },
  {
    guard: 'webhook-deadline',
    protects: 'A receiver that never answers holds its place for fifteen seconds, not for ever.',
    edits: [
      edit(
        'server/src/platform/egress-http.ts',
        "const cancel = clock.after(wanted.deadlineMs, () => end({ fault: 'timeout' }));",
        "const cancel = clock.after(wanted.deadlineMs * 1_000, () => end({ fault: 'timeout' }));",
      ),
    ],
    killedBy: { [ZOO_TEST]: ['a receiver that gives announcements without end: timeout'] },
  },
];
