const CANDIDATES = [',', ';', '\t', '|'];
const LOOKED_AT = 64 * 1024;

/** The separator of cells: the candidate that stands most often in the first line, quoted text apart; a comma where there is none. */
export function delimiterOf(bytes: Buffer): string {
  const counts = new Map(CANDIDATES.map((one) => [one, 0]));
  let quoted = false;
  let written = false;
  // All that counts here is ASCII.
  for (const character of bytes.toString('latin1', 0, LOOKED_AT)) {
    if (character === '"') quoted = !quoted;
    if (quoted) continue;
    if (character === '\n' || character === '\r') {
      if (written) break;
      continue;
    }
    written = true;
    const count = counts.get(character);
    if (count !== undefined) counts.set(character, count + 1);
  }
  return CANDIDATES.reduce((best, one) => (counts.get(one)! > counts.get(best)! ? one : best));
}
