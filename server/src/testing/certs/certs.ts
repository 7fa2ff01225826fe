// Certificates for servers on this machine: an authority whose key was thrown away, and what it signed, valid for a century.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

/** Where the PEM files lie, for programs that want a path (NODE_EXTRA_CA_CERTS, a Postfix configuration). */
export const certPaths = {
  ca: join(import.meta.dirname, 'ca.pem'),
  cert: join(import.meta.dirname, 'server.pem'),
  key: join(import.meta.dirname, 'server-key.pem'),
};

/** The authority to trust, as PEM. */
export const testCa = read('ca.pem');

/** For `localhost` and `127.0.0.1`, as PEM. */
export const localhostCert = { cert: read('server.pem'), key: read('server-key.pem') };

/** Trusted by the same authority, but for `other-host.test`: what a client must not take from `localhost`. */
export const otherHostCert = { cert: read('other-host.pem'), key: read('other-host-key.pem') };
