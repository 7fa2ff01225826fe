/** What the server is about to answer. `command` is upper-case, `UID FETCH` included; `GREETING` stands for the first line of a connection. */
export type ScriptEvent = {
  command: string;
  /** The connection, counted from 1. */
  connection: number;
  /** How often this command came, on any connection, counted from 1. */
  count: number;
  /** The arguments as they were written; not for LOGIN and AUTHENTICATE. */
  line: string;
};

/**
 * `hang`: say nothing, for ever. `drop`: end the connection. `no`: the tagged NO with these words. `raw`: exactly these bytes instead of an
 * answer, `{tag}` replaced. `before`: these bytes, then the usual answer. `delayMs`: the usual answer, later. `first`: act, then answer.
 */
export type Reaction = 'hang' | 'drop' | { no: string } | { raw: string } | { before: string } | { delayMs: number } | { first: () => void };

/** Called for each command; undefined leaves the server to itself. */
export type Script = (event: ScriptEvent) => Reaction | undefined;
