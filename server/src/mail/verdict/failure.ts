// Whose fault a permanent failure is. A wrong "hard" suppresses a person for ever, a wrong "soft" costs one more message: in doubt, not hard.

export type FailureType = 'hard' | 'soft' | 'unknown';

/** A DSN status or enhanced code (RFC 3463): class.subject.detail. */
const STATUS = /(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.]*\d)/;

/** The first enhanced status code in a text, null when there is none. */
export function statusIn(text: string): string | null {
  const [status] = STATUS.exec(text.slice(0, 4000)) ?? [];
  return status ?? null;
}

/** The first three-digit SMTP code of class 4 or 5 that stands where a server's answer begins, null when there is none. */
export function replyCodeIn(text: string): number | null {
  const [, code] = /(?:^|[\s:;>("'[<])([45]\d\d)(?=[\s#-])/.exec(text.slice(0, 4000)) ?? [];
  return code ? Number(code) : null;
}

/** Words that make a refusal something else than the address's fault, whatever its code. */
const NOT_THE_ADDRESS: readonly RegExp[] = [
  /\b(spam|junk|virus|malware|phish|bulk mail|unsolicited|content (rejected|filter)|message content|blocked|(block|black|deny) ?list|denied by)/i,
  /\b(policy|policies|administrative|prohibited|(not |un)authori[sz]ed|not permitted|not allowed|access denied|restricted|forbidden)/i,
  /\b(reputation|spamhaus|barracuda|spamcop|rbl|dnsbl|surbl|spf|dkim|dmarc|authenticat|reverse dns|ptr record|helo|ehlo)/i,
  /\b(over ?quota|quota|mailbox (is )?full|full mailbox|insufficient (system )?storage|storage (limit|space)|disk (space|full)|out of space)/i,
  /\b(too large|too big|message size|(size|length) limit|maximum size|exceeds? (the )?(size|maximum))/i,
  /\b(relay(ing)?( access)? (denied|prohibited|not)|unable to relay|not a relay)/i,
  /\b(gr[ea]ylist|try again (later|in|after)|try later|temporar|rate limit|too many|throttl|deferr|exceeded)/i,
  /\b(expired|time[d ]?-?out|too long in|retry time)/i,
  /\b(bad sender|invalid sender|sender (address )?(rejected|denied|refused|unknown|invalid)|sender (verify|domain)|envelope sender|loop)/i,
  /\b(connection (was )?(refused|lost|closed|dropped|reset)|network (error|problem)|no route|unreachable|starttls|tls required)/i,
];

const NO_SUCH_ADDRESS: readonly RegExp[] = [
  /\b(no such|unknown|invalid|non-?existent|nonexisting) (local )?(user|recipient|mailbox|account|address|person|addressee)\b/i,
  /\b(user|recipient|mailbox|account|address(ee)?|alias)( address| name| id)?( \S{1,320})? (is |was )?(unknown|not (found|known)|non-?existent)/i,
  /\b(user|recipient|mailbox|account|address|alias)\b.{0,80}\b(does not|doesn'?t|do not|no longer) exists?\b/i,
  /\bno (mailbox|mail-?box|user|account|recipient|address)( here)? (by|with|of|under) (that|this) (name|address)\b/i,
  /\b(doesn'?t|does not) have an? \S{1,100} account\b/i,
  /\b(RecipientNotFound|unknown in (local|virtual|relay) |not a known user|not our (customer|user)|no mailbox here)/i,
  /\b(unrouteable address|unknown local.?part|no such (recipient|address) here|(user|recipient) unknown)/i,
  /\b(moved|changed)\b.{0,40}\bno (forwarding|new) address\b|\bno longer (with|at|works? (at|for)|employed)\b/i,
  /\bhas left the (company|organi[sz]ation)\b/i,
  /\b(account|mailbox)( \S{1,320})? (has been |was |is )?(closed|deleted|terminated|permanently (disabled|removed))\b/i,
];

const NO_SUCH_DOMAIN: readonly RegExp[] = [
  /\b(host|domain)( or domain)?( name)?( \S{1,255})? ?(not found|unknown|does not exist|doesn'?t exist|non-?existent)\b/i,
  /\b(no such|unknown) (host|domain)\b|\bnxdomain\b|\bnull ?mx\b|\bdoes not accept (e-?mail|mail)\b/i,
  /\bdomain\b.{0,120}\b(not found|does not exist|doesn'?t exist|couldn'?t be found)\b|\bmx records? point to non-?existent\b/i,
];

const GONE_FOR_GOOD =
  /\b(account|mailbox|user|address|recipient)\b.{0,80}\b(disabled|deactivated|closed|deleted|no longer (available|active|in use|valid))\b/i;

const matches = (patterns: readonly RegExp[], text: string) => patterns.some((one) => one.test(text));

/** Codes that say by themselves that the address or its domain takes no mail (RFC 3463; 5.1.10: RFC 7505, and Exchange's "recipient not found"). */
const HARD_CODES: readonly string[] = ['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10'];
/** Codes too general to decide anything: the words must. */
const isGeneral = (status: string) => /^5\.(0|1|2|5)\.0$/.test(status) || status === '5.5.1' || status === '5.3.0';

function typeByCode(status: string, text: string): FailureType {
  if (!status.startsWith('5.')) return 'soft';
  if (HARD_CODES.includes(status)) return 'hard';
  if (status === '5.2.1') return GONE_FOR_GOOD.test(text) || matches(NO_SUCH_ADDRESS, text) ? 'hard' : 'soft';
  if (status === '5.4.4' || status === '5.4.310') return matches(NO_SUCH_DOMAIN, text) ? 'hard' : 'soft';
  return isGeneral(status) ? typeByWords(text) : 'soft';
}

const typeByWords = (text: string): FailureType => (matches(NO_SUCH_ADDRESS, text) || matches(NO_SUCH_DOMAIN, text) ? 'hard' : 'unknown');

/** Without addresses, links and host names: `mx.barracuda.test said: user unknown` speaks of no block list. */
const withoutNames = (words: string): string =>
  words
    .split(' ')
    .filter((word) => !/@|:\/\/|^[<(["']*[\w-]+(\.[\w-]+)+[>)\]"':;,]*$/.test(word))
    .join(' ');

/**
 * Whether a failure says that the address itself takes no mail (`hard`), that something else stood in the way (`soft`), or neither clearly
 * (`unknown`). `status` is the reporting server's RFC 3463 code, `text` the words of the server that refused, which may hold a code of its own.
 */
export function failureType(status: string | null, text: string): FailureType {
  const words = text.slice(0, 4000).replace(/\s+/g, ' ');
  const code = replyCodeIn(words);
  if (matches(NOT_THE_ADDRESS, withoutNames(words)) || (code !== null && code < 500)) return 'soft';
  const stated = [status, statusIn(words)].filter((one): one is string => one !== null && !one.startsWith('2.'));
  const telling = stated.filter((one) => !isGeneral(one));
  if (telling.length === 0) return typeByWords(words);
  const types = telling.map((one) => typeByCode(one, words));
  // Two codes that disagree: the milder one, for the harder may be the relay's guess.
  return types.every((type) => type === 'hard') ? 'hard' : 'soft';
}
