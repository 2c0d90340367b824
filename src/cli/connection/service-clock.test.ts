import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { systemClock } from '../../lib/clock.ts';
import { connectedAs } from './connect.ts';
import { serviceNow } from './service-clock.ts';

test('each reply tells what time it is at the service, also a refusal', async () => {
  let ahead = 3_600_000;
  const server = createServer((_request, response) => {
    response.writeHead(404, { date: new Date(systemClock.now() + ahead).toUTCString() }).end('{}');
  }).listen(0, '127.0.0.1');
  cleanup(() => server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { client } = connectedAs(
    { client: {} as never, url, credential: undefined, profileName: 'default', profile: undefined },
    'ph_x',
  );
  const off = async (): Promise<number> => {
    await assert.rejects(client.getMe());
    return serviceNow() - systemClock.now();
  };
  assert.ok(Math.abs((await off()) - ahead) < 5000);
  ahead = 1000;
  assert.equal(await off(), 0, 'so little is the way of the reply');
});
