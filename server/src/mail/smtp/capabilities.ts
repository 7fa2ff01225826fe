// What a server offers in its answer to EHLO.

export type Capabilities = {
  startTls: boolean;
  pipelining: boolean;
  eightBitMime: boolean;
  smtpUtf8: boolean;
  /** SIZE was offered at all: then MAIL declares the size. */
  size: boolean;
  /** Bytes, null when the server names no limit (RFC 1870 section 3: no number, or 0). */
  sizeLimit: number | null;
  /** Login mechanisms in upper case. */
  auth: ReadonlySet<string>;
};

/** Read the lines of the 250 reply to EHLO (RFC 5321 section 4.1.1.1); the first one is the greeting. */
export function capabilitiesOf(lines: readonly string[]): Capabilities {
  const offered = new Map<string, string[]>();
  for (const line of lines.slice(1)) {
    // Servers older than RFC 2554 say "AUTH=LOGIN".
    const [keyword = '', ...values] = line
      .trim()
      .toUpperCase()
      .replace(/^AUTH=/, 'AUTH ')
      .split(/\s+/);
    offered.set(keyword, [...(offered.get(keyword) ?? []), ...values]);
  }
  const limit = offered.get('SIZE')?.[0] ?? '';
  return {
    startTls: offered.has('STARTTLS'),
    pipelining: offered.has('PIPELINING'),
    eightBitMime: offered.has('8BITMIME'),
    smtpUtf8: offered.has('SMTPUTF8'),
    size: offered.has('SIZE'),
    sizeLimit: /^\d{1,15}$/.test(limit) && Number(limit) > 0 ? Number(limit) : null,
    auth: new Set(offered.get('AUTH')),
  };
}
