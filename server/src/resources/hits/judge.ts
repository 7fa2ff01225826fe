// Whether a person opened a mail or followed its link, or a machine did: one table of rules over what is known. Pure.
import { inBlocks } from '#platform/ip.ts';

export type Facts = {
  kind: 'open' | 'click';
  method: string;
  userAgent: string;
  /** Null where it is not known. */
  address: string | null;
  /** The request says that it is made ahead of a person's wish. */
  isPrefetch: boolean;
  /** Whether the visitor's address is one from which the workspace calls its API. */
  isOwn: boolean;
  /** Milliseconds since the mail server accepted the mail; null while that is not known yet. */
  sinceSentMs: number | null;
  /** Other links of the same mail that were followed within ALL_LINKS_MS before. */
  otherLinks: number;
};
export type Judged = { made_by: 'human' | 'scanner' | 'prefetch' | 'self'; because: string };

/** No person has read a mail by then. */
export const TOO_SOON_MS = 10_000;
/** No person reads one page of several before the next is called up. */
export const ALL_LINKS_MS = 3_000;

type Rule = Judged & { holds(facts: Facts): boolean };

/** Mail programs' own proxies fetch a picture when the mail is opened. */
const PROXY = /GoogleImageProxy|ggpht\.com|YahooMailProxy/i;
const PROGRAM = new RegExp(
  [
    String.raw`(?<!cu)bot\b|crawl|spider|slurp|scan|monitor|preview|prerender|validator|link ?check|probe`,
    '^(?:curl|wget|python|go-http|java|okhttp|axios|node|undici|got|ruby|perl|php|libwww|lwp|httpie|powershell|apache-httpclient|winhttp|dart)',
    'python-requests|aiohttp|httpclient|headless|phantomjs|puppeteer|playwright|selenium|electron',
    'barracuda|proofpoint|mimecast|symantec|messagelabs|sophos|fireeye|trellix|forcepoint|trend ?micro',
    'ironport|safelinks|cloudmark|zscaler|fortinet|avanan',
    'facebookexternalhit|whatsapp|skypeuri|slack-img|embedly|microsoft office existence|ms-office|dispatch/',
  ].join('|'),
  'i',
);

/** Read from top to bottom; the first rule that holds decides. */
const RULES: readonly Rule[] = [
  {
    made_by: 'self',
    because: 'It comes from an address from which you call the API.',
    holds: ({ isOwn }) => isOwn,
  },
  {
    made_by: 'scanner',
    because: 'It asked with HEAD, without wanting to see anything.',
    holds: ({ method }) => method === 'HEAD',
  },
  {
    made_by: 'prefetch',
    because: 'The request says itself that it was made ahead of time.',
    holds: ({ isPrefetch }) => isPrefetch,
  },
  {
    made_by: 'scanner',
    because: 'It did not say which program it is.',
    holds: ({ userAgent }) => userAgent.trim() === '',
  },
  {
    made_by: 'scanner',
    because: 'It calls itself a program that checks or collects pages.',
    holds: ({ userAgent }) => !PROXY.test(userAgent) && PROGRAM.test(userAgent),
  },
  {
    made_by: 'prefetch',
    because: 'Apple Mail Privacy Protection loads every picture, whether the mail is read or not.',
    holds: ({ kind, userAgent }) => kind === 'open' && userAgent.trim() === 'Mozilla/5.0',
  },
  {
    made_by: 'scanner',
    because: 'It comes from the network of a mail filter.',
    holds: ({ address }) => address !== null && isFilter(address),
  },
  {
    made_by: 'scanner',
    because: `It came within ${TOO_SOON_MS / 1000} seconds of the mail's delivery.`,
    holds: ({ sinceSentMs }) => sinceSentMs === null || sinceSentMs < TOO_SOON_MS,
  },
  {
    made_by: 'scanner',
    because: 'Several links of the mail were followed at once.',
    holds: ({ kind, otherLinks }) => kind === 'click' && otherLinks > 0,
  },
  {
    made_by: 'human',
    because: "The reader's mail program fetched the picture when the mail was opened.",
    holds: ({ userAgent }) => PROXY.test(userAgent),
  },
];

/** Who made a hit, and why we think so. */
export function judge(facts: Facts): Judged {
  const rule = RULES.find(({ holds }) => holds(facts));
  return rule ? { made_by: rule.made_by, because: rule.because } : { made_by: 'human', because: 'Nothing in it shows a machine at work.' };
}

/** What is said of hits that were taken for a person's until the next ones came. */
export const TOO_MANY = RULES.find(({ because }) => because.startsWith('Several'))!.because;

/** Networks from which filters follow the links of mails: Microsoft (Safe Links, Exchange Online), Proofpoint, Mimecast, Barracuda. */
const FILTERS = [
  '40.92.0.0/15', '40.94.0.0/16', '40.107.0.0/16', '52.100.0.0/14', '104.47.0.0/17', '67.231.144.0/20', '148.163.128.0/19', '205.139.110.0/24',
  '207.211.30.0/24', '64.235.144.0/20', '209.222.80.0/21',
]; // prettier-ignore
const isFilter = inBlocks(FILTERS);
