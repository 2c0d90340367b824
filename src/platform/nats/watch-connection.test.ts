import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AuthorizationError, type Status } from '@nats-io/transport-node';
import { freePort } from '../../../scripts/lib/postgres.ts';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { until } from '../../../test/helpers/engine.ts';
import { noNatsServers } from '../../../test/helpers/nats-servers.ts';
import { ServerProcess } from '../../../test/helpers/server-process.ts';
import { natsServerPath } from '../../../test/helpers/services.ts';
import { natsBus } from '../bus/nats-bus.ts';
import { createLog } from '../log/log.ts';
import { watchConnection } from './watch-connection.ts';

const LOST: Status = { type: 'disconnect', server: 'a' };
const REFUSED: Status = { type: 'error', error: new AuthorizationError('Authorization Violation') };
const BACK: Status = { type: 'reconnect', server: 'a' };

test('a connection that is refused with each try is lost once and refused once, until it is back', async () => {
  const told: string[] = [];
  async function* statuses(): AsyncGenerator<Status> {
    yield* [LOST, REFUSED, LOST, REFUSED, LOST, BACK, LOST, BACK];
  }
  await watchConnection(
    { status: () => statuses() },
    {
      lost: () => void told.push('lost'),
      refused: ({ message }) => void told.push(message),
      back: () => void told.push('back'),
    },
  );
  assert.deepEqual(told, ['lost', 'Authorization Violation', 'back', 'lost', 'back']);
});

describe('a NATS server that wants another password', { skip: noNatsServers ?? false }, () => {
  const LOST_LINE = 'the connection to NATS was lost; it is opened again';
  const REFUSES = /^NATS answers, but refuses this node, .* of NATS_URL right\?$/;
  const BACK_LINE = 'NATS is reachable again; nodes tell each other of their work';

  /** A server of the port with this password, until the test ends. */
  async function startServer(port: number, password: string): Promise<ServerProcess> {
    const flags = ['-a', '127.0.0.1', '-p', String(port), '--user', 'ph', '--pass', password];
    const server = new ServerProcess(natsServerPath as string, flags, port);
    cleanup(() => server.kill());
    await server.start();
    return server;
  }

  test('is told as one that refuses, at a start and later, and when it takes the node again', async () => {
    const port = await freePort();
    const lines: string[] = [];
    const log = createLog('info', {
      write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg),
    });
    let server = await startServer(port, 'other');
    const bus = await natsBus(`nats://ph:own@127.0.0.1:${port}`, 'a', log);
    cleanup(() => bus.close());
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', REFUSES);
    for (const password of ['own', 'other', 'own']) {
      const before: number = lines.length;
      await server.kill();
      server = await startServer(port, password);
      await until('the log has a word of it', () =>
        password === 'own' ? lines.at(-1) === BACK_LINE : REFUSES.test(lines.at(-1) ?? ''),
      );
      if (password === 'other') assert.deepEqual(lines.slice(before, -1), [LOST_LINE]);
    }
  });
});
