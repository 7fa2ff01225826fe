import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/** `ca` as PEM, the rest as paths of PEM files. */
export type Certificates = { ca: string; caFile: string; certFile: string; keyFile: string };

/** An authority that lives as long as `folder`, and its certificate for `localhost` and 127.0.0.1. Servers under other users may read the key. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  const path = (name: string) => join(folder, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const openssl = (...args: string[]) => exec('openssl', ['req', '-x509', ...key, ...args]);
  await openssl(
    '-subj',
    '/CN=Postrider e2e authority',
    '-addext',
    'keyUsage=critical,keyCertSign',
    '-keyout',
    path('ca-key.pem'),
    '-out',
    path('ca.pem'),
  );
  const extensions = ['subjectAltName=DNS:localhost,IP:127.0.0.1', 'basicConstraints=critical,CA:false'];
  const signed = ['-CA', path('ca.pem'), '-CAkey', path('ca-key.pem'), ...extensions.flatMap((one) => ['-addext', one])];
  await openssl('-subj', '/CN=localhost', ...signed, '-keyout', path('server-key.pem'), '-out', path('server.pem'));
  await exec('chmod', ['0644', path('server-key.pem')]);
  return { ca: readFileSync(path('ca.pem'), 'utf8'), caFile: path('ca.pem'), certFile: path('server.pem'), keyFile: path('server-key.pem') };
}
