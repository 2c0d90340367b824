import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { httpApp } from '../../../../test/helpers/http-app.ts';
import { MAX_DETAILS } from '../../../contracts/errors.ts';
import { write } from '../../../platform/http/index.ts';
import { endpointBodies, webhooksOf } from './schemas.ts';

const app = await httpApp(
  [
    write({
      method: 'POST',
      path: '/v1/endpoints',
      operationId: 'endpoints',
      tag: 'test',
      summary: 'test',
      access: { account: 'webhooks:manage' },
      schemas: { body: endpointBodies('MERCHANT').create, replies: { 204: null } },
      handle: async () => ({ status: 204 }),
    }),
  ],
  { database: await withDatabase() },
);
const post = (events: readonly string[]) =>
  app.inject({
    method: 'POST',
    url: '/v1/endpoints',
    headers: { authorization: 'Bearer key1' },
    payload: { url: 'https://a.example', events },
  });

test('every event of the kind may be named, each once, and no other', async () => {
  const all = webhooksOf('MERCHANT');
  const [one = ''] = all;
  const statuses = [];
  for (const events of [all, [one], [], [one, one], ['no.event']]) statuses.push((await post(events)).statusCode);
  assert.deepEqual(statuses, [204, 204, 400, 400, 400]);
});

test('4 000 events do not hold up the process', async () => {
  const before = process.threadCpuUsage();
  const reply = await post(Array.from({ length: 4000 }, (_, i) => `unknown.${i}`));
  const { user, system } = process.threadCpuUsage(before);
  const { details } = reply.json<{ error: { details: { path: string }[] } }>().error;
  assert.deepEqual([details[0]?.path, details.length], ['body.events', MAX_DETAILS]);
  // Each compared with each other one would be sixteen million times.
  assert.ok(user + system < 2_000_000, `${user + system} µs of this thread`);
});
