import type { Ctx } from '#world/ctx.ts';

/** An event as the log keeps it; what is JSON there comes as its text. */
export type LoggedEvent = {
  id: string;
  workspace_id: string;
  mode: string;
  type: string;
  sequence: number;
  resource_id: string;
  data: string;
  previous: string | null;
  metadata: string | null;
  created_at: Date;
};

/** The columns of an event in the form of LoggedEvent. */
export const LOGGED = `ev.id, ev.workspace_id, ev.mode, ev.type, ev.sequence, ev.resource_id, ev.data::text as data, ev.previous::text as previous,
  ev.metadata::text as metadata, ev.created_at`;

const text = (value: string) => JSON.stringify(value);

/** The body that is delivered: always the same text for the same event, so the log need not keep it a second time. */
export function payloadOf(event: Omit<LoggedEvent, 'sequence'> & { sequence: number | null }): string {
  return (
    `{"id":${text(event.id)},"object":"event","type":${text(event.type)},"mode":${text(event.mode)},` +
    `"created_at":${text(event.created_at.toISOString())},"workspace_id":${text(event.workspace_id)},"resource_id":${text(event.resource_id)},` +
    `"sequence":${event.sequence},"data":${event.data},"previous":${event.previous ?? 'null'},"metadata":${event.metadata ?? 'null'}}`
  );
}

/** An event that is told to one endpoint only and stands in no log: a verification, a test. */
export function unloggedPayload(
  ctx: Ctx,
  { id, type, resourceId, data, metadata }: { id: string; type: string; resourceId: string; data: object; metadata?: object },
): string {
  return payloadOf({
    id, type, workspace_id: ctx.workspaceId, mode: ctx.mode, sequence: null, resource_id: resourceId, created_at: ctx.now,
    data: JSON.stringify(data), previous: null, metadata: metadata ? JSON.stringify(metadata) : null,
  }); // prettier-ignore
}
