import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { until } from '../../../test/helpers/engine.ts';
import { noNatsServers } from '../../../test/helpers/nats-servers.ts';
import { ServerProcess } from '../../../test/helpers/server-process.ts';
import { natsServerPath } from '../../../test/helpers/services.ts';
import { freePort } from '../../../scripts/lib/postgres.ts';
import type { Log } from '../log/log.ts';
import { jetStreamQueue } from './jetstream-queue.ts';
import { sealBy } from './sealed.ts';
import type { WorkQueue } from './work-queue.ts';

/** A server of the port with these flags, until the test file ends. */
async function startServer(port: number, ...flags: string[]): Promise<ServerProcess> {
  const server = new ServerProcess(natsServerPath as string, ['-a', '127.0.0.1', '-p', String(port), ...flags], port);
  cleanup(() => server.kill());
  await server.start();
  return server;
}

interface Opened {
  queue: WorkQueue;
  /** What it logged. */
  said: string[];
}

/** A queue that takes what comes. */
async function takingAt(port: number, user = ''): Promise<Opened> {
  const said: string[] = [];
  const tell = (...args: unknown[]): void => void said.push(String(args.at(-1)));
  const log = { warn: tell, info: tell, error: tell } as unknown as Log;
  const seal = sealBy(() => new Uint8Array(32));
  const url = `nats://${user}127.0.0.1:${port}`;
  const queue = await jetStreamQueue({ url, name: 'test', replicas: 1, nodeId: 'a', seal, log });
  cleanup(() => queue.close());
  queue.take(async (job) => job.done());
  return { queue, said };
}

test('a server without JetStream takes nothing, which is said once, until it has it', {
  skip: noNatsServers ?? false,
}, async () => {
  const port = await freePort();
  const without = await startServer(port);
  const { queue, said } = await takingAt(port);
  await until('it is known that nothing is taken', () => !queue.isUp);
  await assert.rejects(queue.put(new Uint8Array(1)));
  assert.equal(said.length, 1, said.join());
  await without.kill();
  await startServer(port, '-js');
  await until('it takes again', () => queue.isUp, 20_000);
  await queue.put(new Uint8Array(1));
  assert.deepEqual(said, [
    'JetStream has no stream for attempts; until it has, each worker makes its own attempts',
    'the connection to JetStream was lost; it is opened again',
    'the connection to JetStream is there again',
    'JetStream has the stream of attempts again',
  ]);
});

test('a server that hung for some seconds is made use of again, on the same connection', {
  skip: noNatsServers ?? false,
}, async () => {
  const port = await freePort();
  const server = await startServer(port, '-js');
  const { queue, said } = await takingAt(port);
  const takes = (): Promise<boolean> =>
    queue.put(new Uint8Array(1)).then(
      () => true,
      () => false,
    );
  await until('it takes', takes);
  server.signal('SIGSTOP');
  // It may still answer the first.
  await until('it hangs', async () => !(await takes()));
  await until('it is known that nothing is taken', () => !queue.isUp);
  server.signal('SIGCONT');
  await until('it takes again', () => queue.isUp);
  await queue.put(new Uint8Array(1));
  assert.ok(!said.some((line) => /connection/.test(line)), said.join());
});

test('a server that wants another password is told as one that refuses, at a start and later', {
  skip: noNatsServers ?? false,
}, async () => {
  const port = await freePort();
  const withPassword = (password: string): Promise<ServerProcess> =>
    startServer(port, '-js', '--user', 'ph', '--pass', password);
  const refuses =
    'NATS answers, but refuses this node, whose workers make their own attempts: are user and password, or the token, of NATS_URL right?';
  const other = await withPassword('other');
  const { queue, said } = await takingAt(port, 'ph:own@');
  assert.deepEqual(said, [refuses]);
  await other.kill();
  const own = await withPassword('own');
  await until('it takes', () => queue.isUp);
  await own.kill();
  await withPassword('other');
  await until('it was told again', () => said.filter((line) => line === refuses).length === 2);
});
