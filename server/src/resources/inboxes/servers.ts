import type { MailServer, Security } from '#mail/mail.ts';
import type { World } from '#world/ctx.ts';
import type { Row } from './store.ts';

type Kind = 'smtp' | 'imap';
type Given = { host: string; port: number; security: Security; username: string; password: string };

const context = (row: Pick<Row, 'workspace_id' | 'id'>, kind: Kind) => [row.workspace_id, row.id, `${kind}_password`];

/** The columns in which an inbox keeps its servers, passwords sealed to this very row and field. */
export function sealedServers(world: World, row: Pick<Row, 'workspace_id' | 'id'>, { smtp, imap }: { smtp: Given; imap: Given }) {
  return {
    smtp_host: smtp.host, smtp_port: smtp.port, smtp_security: smtp.security, smtp_username: smtp.username,
    smtp_password_sealed: world.box.seal(smtp.password, context(row, 'smtp')),
    imap_host: imap.host, imap_port: imap.port, imap_security: imap.security, imap_username: imap.username,
    imap_password_sealed: world.box.seal(imap.password, context(row, 'imap')),
  }; // prettier-ignore
}

/** What is needed to connect; null where the inbox has no such server (sandbox, erased credentials), and always in test mode. */
export function serverOf(world: World, row: Row, kind: Kind): MailServer | null {
  if (row.mode !== 'live') return null;
  const host = row[`${kind}_host`];
  const port = row[`${kind}_port`];
  const security = row[`${kind}_security`];
  const username = row[`${kind}_username`];
  const sealed = row[`${kind}_password_sealed`];
  if (host === null || port === null || security === null || username === null || sealed === null) return null;
  return { host, port, security, credentials: { username, password: world.box.open(sealed, context(row, kind)) } };
}

export const asMailServer = ({ host, port, security, username, password }: Given): MailServer => ({
  host,
  port,
  security,
  credentials: { username, password },
});
