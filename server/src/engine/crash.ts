/** The numbered points of a send or a delivery at which tests end or halt a process, to see that nothing is lost or done twice. */
export type CrashPoint =
  | 'CP4 claimed'
  | 'CP6 connected'
  | 'CP8 body written'
  | 'CP9 released'
  | 'CP11 accepted'
  | 'CP12 journalled'
  | 'CP13 committed'
  | 'CP14 posted'
  | 'CP15 fetched'
  | 'CP16 taken in'
  | 'CP17 put back';

/** Called at each point; does nothing but in tests. */
export type CrashHook = (point: CrashPoint) => void | Promise<void>;

export const noCrash: CrashHook = () => undefined;
