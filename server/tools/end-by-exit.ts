// Loaded before each test file: the process ends by an exit. After connections that broke off, Node at times spins for ever in its own clean-up when
// all JavaScript is done. (Its own `--test-force-exit` loses what a test reported, where the runner is slow to read.)
let rounds = 0;

process.on('beforeExit', () => {
  // Whoever listens behind this one may still have something to do, the reports of the tests among it.
  if (rounds++ === 0) setImmediate(() => undefined);
  else process.exit();
});
