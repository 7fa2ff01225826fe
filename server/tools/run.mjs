// Called by every npm script: `node server/tools/run.mjs <file under server/> [arguments]`.
// Runs on the system's Node 20 or later without any dependency: installs what is missing and hands over to the project's own Node.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const NEEDED = 26;

/**
 * Whether `lock` (package-lock.json) is what npm noted as installed in `installed` (node_modules/.package-lock.json, written at its very end).
 * Of the optional packages only those count that name this very machine; npm leaves out others for reasons of its own.
 */
export function isComplete(lock, installed, { platform, arch } = process) {
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (!path.includes('node_modules/')) return true;
    const found = installed.packages[path];
    if (found) return found.version === wanted.version && found.integrity === wanted.integrity;
    return Boolean(wanted.optional && (wanted.libc || !wanted.os?.includes(platform) || !wanted.cpu?.includes(arch)));
  });
}

/** The Node that runs the project: the one that npm installed for this machine, else this very one if it is new enough. */
export function findNode(root, { platform, arch, execPath, versions } = process) {
  const installed = ['node-', 'node-bin-'].map((name) => join(root, 'node_modules', `${name}${platform}-${arch}`, 'bin', 'node')).find(existsSync);
  if (installed) return installed;
  if (Number.parseInt(versions.node, 10) >= NEEDED) return execPath;
  throw new Error(
    `Postrider needs Node ${NEEDED}. npm has none for ${platform}-${arch}, and this is Node ${versions.node}: please install Node ${NEEDED}.`,
  );
}

/** Bring node_modules up to package-lock.json, unless it is. */
async function install(root) {
  const complete = () => {
    const [lock, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((path) => join(root, path));
    return existsSync(installed) && isComplete(JSON.parse(readFileSync(lock, 'utf8')), JSON.parse(readFileSync(installed, 'utf8')));
  };
  if (complete()) return;
  const release = takeTurn(join(tmpdir(), `postrider-install-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`));
  try {
    if (complete()) return;
    process.stderr.write('Installing what Postrider needs (npm ci; about a minute the first time) …\n');
    const npm = process.env.npm_execpath;
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--include=dev', '--include=optional'];
    const [program, all] = npm?.endsWith('.js') ? [process.execPath, [npm, ...args]] : ['npm', args];
    const { code } = await run(program, all, { cwd: root, stdio: ['ignore', 2, 2] });
    if (code !== 0) throw new Error('npm ci failed; its message is above. Once its cause is gone, give the same command again.');
  } finally {
    release();
  }
}

/** One installer at a time: wait while another live process holds the folder `turn`. */
function takeTurn(turn) {
  for (;;) {
    try {
      mkdirSync(turn);
      writeFileSync(join(turn, 'pid'), String(process.pid));
      return () => rmSync(turn, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (abandoned(turn)) rmSync(turn, { recursive: true, force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

function abandoned(turn) {
  try {
    process.kill(Number(readFileSync(join(turn, 'pid'), 'utf8')) || Number.NaN, 0);
    return false;
  } catch (error) {
    if (error.code === 'EPERM') return false;
    // No process id yet: its owner is just about to write it, unless it was killed right there.
    if (error.code !== 'ESRCH') return Date.now() - (statSync(turn, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > 5000;
    return true;
  }
}

/** Run a program, passing on the signals that ask this process to end. */
function run(program, args, options) {
  const child = spawn(program, args, options);
  const term = () => child.kill('SIGTERM');
  // Ctrl-C reaches the whole foreground group by itself; told twice, the child would take it for impatience.
  const int = () => process.stdin.isTTY || child.kill('SIGINT');
  process.on('SIGTERM', term).on('SIGINT', int);
  return new Promise((done, failed) => {
    child.on('error', (error) => failed(new Error(`${program} does not run here: ${error.message}`)));
    child.on('exit', (code, signal) => {
      process.off('SIGTERM', term).off('SIGINT', int);
      done({ code, signal });
    });
  });
}

async function main() {
  const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
  const [script, ...args] = process.argv.slice(2);
  if (!script) throw new Error('Usage: node server/tools/run.mjs <file under server/> [arguments]');
  await install(root);
  const path = join(root, 'server', script);
  const { code, signal } = await run(findNode(root), ['--disable-warning=ExperimentalWarning', path, ...args], { stdio: 'inherit' });
  // End as the child did, so that whoever waits for this process sees the same.
  if (signal) process.kill(process.pid, signal);
  process.exitCode = code ?? 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main().catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
