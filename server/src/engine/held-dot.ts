// What sending and warm-up have in common at the dot.

/** A release is permission for this moment: past this the dot is not written. A process that was halted in between must not wake and send. */
export const RELEASE_VALID_MS = 30_000;
