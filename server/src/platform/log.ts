import { type Logger, pino } from 'pino';

export type Log = Logger;

const SECRET_NAMES = ['password', 'secret', 'authorization', 'token', 'live_key', 'test_key', 'sealed', 'cookie'];
const PATHS = SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/** JSON lines on standard output (or `destination`). Values under secret names are replaced before they are written. */
export function logTo(level: string, destination?: { write(line: string): void }): Log {
  const options = { level, base: null, redact: { paths: PATHS, censor: '[redacted]' }, timestamp: pino.stdTimeFunctions.isoTime };
  return destination ? pino(options, destination) : pino(options);
}
