// What a dry run tells, and a start refuses for. Pure.

const MESSAGES = {
  no_inbox: 'None of its inboxes can send.',
  empty_subject: 'The subject is empty.',
  empty_body: 'There is no body.',
  template_problem: 'The text is no template:',
  too_large: 'The text is too large once its variables are filled.',
  no_contacts: 'Nobody is enrolled.',
  contact_not_sendable: 'These contacts may not be written to any more: they get nothing.',
  inbox_cannot_send: 'These inboxes cannot send in their present state.',
  unresolved_variable: 'The variable has neither a value nor a default: it is left empty.',
  quota_exceeded: 'More mails are forecast for this month than the plan has left.',
  forecast_cut: 'Not all sends could be forecast: they lie too far ahead, are too many, or have no inbox.',
} as const;

export const FAULT_CODES = Object.keys(MESSAGES) as (keyof typeof MESSAGES)[];

/** One fault, where it is, how many it concerns and some of them. What does not apply is null. */
export type Fault = {
  code: keyof typeof MESSAGES;
  message: string;
  step_id: string | null;
  step_order: number | null;
  variant_id: string | null;
  variable: string | null;
  /** Contacts or inboxes; null when it does not depend on them. */
  count: number | null;
  sample_ids: string[];
};

/** A fault of this kind. */
export const faultOf = (code: Fault['code'], more: Partial<Fault> = {}): Fault => ({
  code,
  message: MESSAGES[code],
  step_id: null,
  step_order: null,
  variant_id: null,
  variable: null,
  count: null,
  sample_ids: [],
  ...more,
});

/** So many of the things that a fault concerns are named. */
export const MOST_SAMPLES = 10;

/** A fault that concerns these things; none where there are none. */
export const faultOfAll = (code: Fault['code'], ids: readonly string[]): Fault[] =>
  ids.length === 0 ? [] : [faultOf(code, { count: ids.length, sample_ids: ids.slice(0, MOST_SAMPLES) })];
