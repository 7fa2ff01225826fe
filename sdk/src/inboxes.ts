import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { type Confirm, Resource } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { ConnectLink, Inbox, InboxBudget, InboxWarmup } from './types.gen.ts';

export type ListInboxesQuery = ListQuery<{ provider: Inbox['provider']; status: Inbox['status']; tag: string }>;
/** `security`: `ssl` is TLS from the first byte (465, 993), `starttls` upgrades (587, 143). */
export type MailServer = { host: string; port: number; security: 'ssl' | 'starttls'; username?: string };
export type ConnectSmtpBody = {
  email_address: string;
  display_name?: string;
  /** `username` defaults to the address. */
  smtp: MailServer & { password: string };
  /** `username` and `password` default to those of `smtp`. */
  imap: MailServer & { password?: string };
};
type SandboxConfigBody = Partial<NonNullable<Inbox['sandbox_config']>>;
export type CreateSandboxBody = { email_address?: string; display_name?: string; sandbox_config?: SandboxConfigBody };
export type UpdateInboxBody = {
  display_name?: string | null;
  status?: 'active' | 'paused';
  daily_limit?: number;
  ramp?: { enabled?: boolean; start?: number; end?: number; days?: number };
  min_gap_seconds?: number;
  max_gap_seconds?: number;
  signature_html?: string | null;
  reply_to?: string | null;
  timezone?: string;
  tags?: string[];
  warmup_enabled?: boolean;
  sandbox_config?: SandboxConfigBody;
};

export class Inboxes extends Resource {
  list(query?: ListInboxesQuery, options?: CallOptions) {
    return this.pages<Inbox>('/v1/inboxes', query, options);
  }
  retrieve(id: string, options?: CallOptions) {
    return this.call<Inbox>('GET', path`/v1/inboxes/${id}`, options);
  }
  /** Its sending day: the cap, which send took which unit of it, and when it is free next. */
  budget(id: string, options?: CallOptions) {
    return this.call<InboxBudget>('GET', path`/v1/inboxes/${id}/budget`, options);
  }
  /** Its warm-up: where the ramp stands, and day by day where its mails landed. */
  warmup(id: string, options?: CallOptions) {
    return this.call<InboxWarmup>('GET', path`/v1/inboxes/${id}/warmup`, options);
  }
  /** Live keys only. The service logs in to both servers first: 201 when the address is new, 200 when it was connected before. */
  connectSmtp(body: ConnectSmtpBody, options?: CallOptions) {
    return this.call<Inbox>('POST', '/v1/inboxes/smtp', { ...options, body });
  }
  /** A one-time address, good for an hour, at which a person connects a mailbox in their browser. Live keys only. */
  createConnectLink(provider: 'google' | 'microsoft' | 'mailprovider', body: { redirect_url?: string } = {}, options?: CallOptions) {
    return this.call<ConnectLink>('POST', path`/v1/inboxes/${provider}/connect_link`, { ...options, body });
  }
  /** Test keys only. */
  createSandbox(body: CreateSandboxBody = {}, options?: CallOptions) {
    return this.call<Inbox>('POST', '/v1/inboxes/sandbox', { ...options, body });
  }
  update(id: string, body: UpdateInboxBody, options?: CallOptions) {
    return this.call<Inbox>('PATCH', path`/v1/inboxes/${id}`, { ...options, body });
  }
  /** Disconnects it: the answer has `status` `revoked`. Its history stays, and connecting its address again brings it back. */
  delete(id: string, query?: Confirm, options?: CallOptions) {
    return this.call<Inbox>('DELETE', path`/v1/inboxes/${id}`, { ...options, query });
  }
}
