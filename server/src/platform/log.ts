import { type Logger, type LoggerOptions, pino } from 'pino';

export type Log = Logger;

const SECRET_NAME = /password|passwd|secret|authorization|token|cookie|sealed|^(?:live|test|api|sealing)_?key$|^pass$/i;
const DEEPEST = 8;

/** JSON lines on standard output (or `destination`). Values under secret names, at whatever depth, are replaced before they are written. */
export function logTo(level: string, destination?: { write(line: string): void }): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: (object) => cleaned(object, 0) as Record<string, unknown> },
    // The bindings of a child do not pass the formatter; errors have passed it and need no second look.
    redact: { paths: ['password', '*.password', 'secret', '*.secret', 'token', '*.token'], censor: '[redacted]' },
    serializers: { err: (error: unknown) => error },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** A copy without secrets. What has a JSON form of its own (dates) is left to it; an error becomes what pino shows of errors. */
function cleaned(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  if (depth > DEEPEST) return '[deep]';
  if (value instanceof Error) return cleaned({ ...pino.stdSerializers.err(value) }, depth);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, SECRET_NAME.test(name) ? '[redacted]' : cleaned(item, depth + 1)]));
}
