// What a seed leaves behind: everything that happened, in its order. Oracles read nothing else.
import type { Window } from './wall.ts';

export type InboxSettings = {
  status: string;
  timezone: string;
  daily_limit: number;
  min_gap_seconds: number;
  ramp: { enabled: boolean; start: number; end: number; days: number; started_at: string };
};

/** An event of the log as it was read. */
export type Told = {
  sequence: number;
  type: string;
  resource_id: string;
  data: Record<string, unknown>;
  at: number;
};

export type Happening =
  /** Something was done; for the trace. */
  | { kind: 'done'; what: string; came: string }
  /** The hours of a campaign from now on. */
  | { kind: 'campaign'; id: string; window: Window }
  | { kind: 'campaign_gone'; id: string }
  /** A step of a campaign: the text that its mails are known by, and of each of its texts, by id, the letter. */
  | { kind: 'step'; campaign: string; text: string; variants: Readonly<Record<string, string>> }
  | { kind: 'inbox'; id: string; login: string; settings: InboxSettings }
  /** An address was put on the suppression list, or taken off. */
  | { kind: 'barred'; email: string; on: boolean }
  /** A contact of a campaign was put in (again), taken out, or stopped for good. */
  | { kind: 'lead'; campaign: string; email: string; is: 'in' | 'out' | 'stopped' }
  /** A release was committed: from here on the dot may be written. */
  | { kind: 'released'; messageId: string }
  /** A server took a mail. `text` names the step, `variant` its text, '' for the step's own; `known`: its 250 was heard. */
  | { kind: 'mail'; messageId: string; login: string; to: string; text: string | null; variant: string | null; known: boolean }
  | { kind: 'told'; event: Told };

export type Entry = { at: number; op: number } & Happening;

/** What the API says at the end. */
export type EndState = {
  sends: { id: string; state: string; failure_reason: string | null; rfc822_message_id: string | null; campaign_id: string | null }[];
  contacts: { id: string; email: string; global_status: string; lead_status: string | null; attributes: unknown }[];
  campaigns: { id: string; status: string }[];
  inboxes: { id: string; status: string }[];
  inbound: { id: string; classification: string | null }[];
};

export type Story = {
  seed: number;
  mode: 'live' | 'test';
  from: number;
  until: number;
  /** How many operations there were. */
  operations: number;
  entries: readonly Entry[];
  end: EndState;
  /** What the service logged as an error. */
  errors: readonly string[];
};

export type Breach = { oracle: string; at: number; what: string };
