import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import { failStart } from './fail-start.ts';

/** What is said of a service that would listen there. */
async function said(t: TestContext, host: string, port: number): Promise<string> {
  const server = createServer();
  return saidOf(t, await new Promise((failed) => server.once('error', failed).listen({ host, port })));
}

function saidOf(t: TestContext, error: unknown): string {
  const told = t.mock.method(console, 'error', () => undefined);
  const exit = t.mock.method(process, 'exit', () => undefined as never);
  failStart(error, undefined);
  assert.deepEqual(exit.mock.calls[0]?.arguments, [1]);
  t.mock.restoreAll();
  return String(told.mock.calls[0]?.arguments[0]);
}

test('an address at which nothing can listen is told with the settings that name it', async (t) => {
  const end = '; set HOST and PORT$';
  const start = '^Posthorn did not start: it cannot listen \\(';
  assert.match(await said(t, '192.0.2.77', 0), new RegExp(`${start}listen EADDRNOTAVAIL.*\\)${end}`));
  assert.match(await said(t, 'http://x', 0), new RegExp(`${start}getaddrinfo ENOTFOUND http://x\\)${end}`));
  const ofProcess = Object.assign(new Error('bind EADDRNOTAVAIL 192.0.2.77:80'), { syscall: 'bind' });
  assert.match(saidOf(t, ofProcess), new RegExp(`${start}bind EADDRNOTAVAIL.*\\)${end}`));
  const taken = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  taken.listen({ host: '127.0.0.1', port: 0 }, resolve);
  await promise;
  t.after(() => taken.close());
  const { port } = taken.address() as { port: number };
  assert.match(await said(t, '127.0.0.1', port), /^Posthorn did not start: the port is in use \(.*\); set PORT$/);
});
