// The door of the SDK: everything that callers may name.
export * from './api-keys.ts';
export * from './audiences.ts';
export * from './campaigns.ts';
export { Postrider } from './client.ts';
export * from './contact-imports.ts';
export * from './contacts.ts';
export {
  ApiError,
  AuthenticationError,
  ConnectionError,
  IdempotencyError,
  InvalidRequestError,
  PermissionError,
  PostriderError,
  ProviderError,
  RateLimitError,
} from './errors.ts';
export * from './events.ts';
export * from './inboxes.ts';
export * from './messages.ts';
export { type ListQuery, Page, type PageQuery, type PageRequest } from './page.ts';
export type { BatchResult, Confirm, Expand, RowProblem } from './resource.ts';
export * from './sends.ts';
export * from './sequences.ts';
export type * from './steps.ts';
export * from './suppressions.ts';
export * from './test-clock.ts';
export * from './threads.ts';
export type { Answered, CallOptions, ClientOptions, Fetch, FetchInit, LastResponse, Method, Query, RequestOptions } from './transport.ts';
export type {
  ApiKey,
  Audience,
  BulkSendResult,
  Campaign,
  CampaignAttachResult,
  CampaignContact,
  CampaignDryRun,
  CampaignMoveResult,
  CampaignStep,
  ConnectLink,
  Contact,
  ContactImport,
  Event,
  EventType,
  Inbox,
  Message,
  MessageBody,
  Mode,
  Send,
  Sequence,
  SequenceStep,
  Suppression,
  TestClock,
  TestClockAdvance,
  Thread,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookReplay,
  Workspace,
} from './types.gen.ts';
/** Every schema of the OpenAPI document, also those that no method names. */
export type * as schemas from './types.gen.ts';
export * from './webhook-endpoints.ts';
export * as webhooks from './webhooks.ts';
export type * from './webhook-events.ts';
export { SignatureError } from './webhooks.ts';
export * from './workspace.ts';
