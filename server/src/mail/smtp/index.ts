// Our own SMTP client. Asked by whoever wires `Mail`: it opens connections that hold every message before its final dot.
export { type SmtpConnectorOptions, smtpConnector } from './connect.ts';
export type { Deadlines as SmtpDeadlines } from './deadlines.ts';
