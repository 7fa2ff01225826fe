// Brings Debian's mail servers onto the machine: Postfix and Dovecot as packages, Exim unpacked beside them, because Debian installs one
// mail transport only. Nothing that a package brings along is started.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);
const PACKAGES = ['postfix', 'dovecot-imapd', 'dovecot-lmtpd', 'dovecot-sieve', 'libsasl2-modules', 'openssl'];
const SERVICES = ['postfix', 'dovecot'];
const EXIM_PACKAGE = 'exim4-daemon-light';
const EXIM_USER = 'Debian-exim';
/** Not below the repository: Exim starts itself anew as a user who may not be allowed to look there. */
const CACHE = '/var/cache/postrider-e2e';
/** What invoke-rc.d asks before it starts a service; 101 forbids it. */
const POLICY = '/usr/sbin/policy-rc.d';

export type Exim = { program: string; librariesPath: string; user: string };

/** What a program prints. Throws with the last lines that it wrote when it fails. */
async function run(program: string, args: string[], cwd?: string): Promise<string> {
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
    return (await exec(program, args, { env, maxBuffer: 64 << 20, ...(cwd ? { cwd } : {}) })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')} failed:\n${`${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n')}`, { cause: error });
  }
}

/** Install what is missing, and answer where Exim is. Throws an error for people when this is no machine that it can be done on. */
export async function prepareDebian(): Promise<Exim> {
  if (!existsSync('/etc/debian_version')) throw new Error('These checks run against Debian’s mail servers, and this is not Debian.');
  if (process.getuid?.() !== 0) throw new Error('These checks start mail servers, which takes root: run them as root, in a container for example.');
  const missing = await missingOf(PACKAGES);
  const hasExim = existsSync(join(CACHE, 'exim/complete'));
  if (missing.length > 0 || !hasExim) await run('apt-get', ['update']);
  if (missing.length > 0) await install(missing);
  const version = (await run('dovecot', ['--version'])).trim();
  if (!version.startsWith('2.3.')) throw new Error(`Dovecot ${version} has other settings than 2.3, which these checks write: use Debian 12.`);
  if (!hasExim) await unpackExim();
  await addEximUser();
  const home = join(CACHE, 'exim');
  return { program: join(home, 'usr/sbin/exim4'), librariesPath: readFileSync(join(home, 'complete'), 'utf8'), user: EXIM_USER };
}

/** A package that was never here is an error to dpkg-query. */
async function missingOf(packages: string[]): Promise<string[]> {
  const states = await Promise.all(packages.map((name) => run('dpkg-query', ['-W', '-f', '${db:Status-Status}', name]).catch(() => 'absent')));
  return packages.filter((_, index) => states[index] !== 'installed');
}

async function install(missing: string[]): Promise<void> {
  const args = ['install', '-y', '--no-install-recommends', ...missing];
  const removed = [...(await run('apt-get', ['--simulate', ...args])).matchAll(/^Remv (\S+)/gm)].map((hit) => hit[1]);
  if (removed.length > 0)
    throw new Error(`Installing ${missing.join(', ')} would remove ${removed.join(', ')}: run these checks on another machine.`);
  process.stderr.write(`Installing ${missing.join(', ')} …\n`);
  const hadPolicy = existsSync(POLICY);
  if (!hadPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await run('apt-get', args);
  } finally {
    if (!hadPolicy) rmSync(POLICY);
  }
  // Nor at the next start of the machine.
  const services = SERVICES.filter((service) => missing.some((name) => name.startsWith(service)));
  if (existsSync('/usr/bin/systemctl') && services.length > 0) await run('systemctl', ['disable', '--quiet', ...services]);
}

/** Exim and every library that this machine lacks for it, out of their packages. */
async function unpackExim(): Promise<void> {
  process.stderr.write(`Unpacking ${EXIM_PACKAGE} …\n`);
  mkdirSync(CACHE, { recursive: true });
  const home = mkdtempSync(join(CACHE, 'unpacking-'));
  const plan = await run('apt-get', ['--simulate', 'install', '--no-install-recommends', EXIM_PACKAGE]);
  const wanted = [...plan.matchAll(/^Inst (\S+)/gm)].map((hit) => hit[1] ?? '').filter((name) => name !== 'exim4-config');
  await run('apt-get', ['download', '-o', 'APT::Sandbox::User=root', ...wanted], home);
  const archives = (await run('find', [home, '-name', '*.deb'])).trim().split('\n');
  for (const archive of archives) await run('dpkg-deb', ['-x', archive, home]);
  // A setuid program would not be allowed the libraries beside it.
  chmodSync(join(home, 'usr/sbin/exim4'), 0o755);
  const final = join(CACHE, 'exim');
  const libraries = (await run('find', [home, '-name', '*.so*', '-printf', '%h\\n'])).trim().split('\n');
  const folders = [...new Set(libraries.filter(Boolean))].map((folder) => folder.replace(home, final));
  writeFileSync(join(home, 'complete'), folders.join(':'));
  chmodSync(home, 0o755);
  rmSync(final, { recursive: true, force: true });
  renameSync(home, final);
}

/** Exim does not even show its version without the user that its package would have made. */
async function addEximUser(): Promise<void> {
  const known = await run('getent', ['passwd', EXIM_USER]).catch(() => '');
  if (known === '') await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', EXIM_USER]);
}
