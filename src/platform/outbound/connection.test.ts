import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { createAddressRules } from './address-rules.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import { Exchange } from './exchange.ts';
import { plainReplies } from './plain-reply.ts';
import { answering, LOOPBACK, startReceiver, target, until } from './test-receiver.ts';
import type { OutboundOutcome } from './types.ts';

test('a request whose connection was closed while it waited is written once, also where the next one is open before its turn comes', async (t) => {
  const receiver = await startReceiver(t, (socket, nth) => {
    if (nth === 0) answering(200, 'ok')(socket, nth);
    else void setTimeout(50).then(() => answering(200, 'ok')(socket, nth));
  });
  const waiting: Connection[] = [];
  const owner: ConnectionOwner = {
    target: target(receiver.url),
    session: {},
    connector: {
      rules: createAddressRules(LOOPBACK.allowedTargets),
      resolve: async () => [],
      secureContext: () => createSecureContext(),
    },
    keepAliveMs: 10_000,
    throughUndici: false,
    replies: plainReplies(),
    afterReading: (connection) => void waiting.push(connection),
    answered: () => undefined,
    free: () => undefined,
    remove: () => undefined,
    closeUnused: () => undefined,
    handOn: () => assert.fail('it has not been tried'),
  };
  const connection = new Connection(owner);
  t.after(() => connection.shutDown());
  const send = (): Promise<OutboundOutcome> =>
    new Promise((resolve) =>
      connection.start(new Exchange({ url: owner.target, headers: [], body: '{}', deadlineMs: 5000 }, resolve)),
    );
  await send();
  const second = send();
  receiver.sockets[0]?.destroy();
  await until(() => receiver.requests.length === 2);
  // Its turn comes.
  for (const one of waiting) one.write();
  assert.equal((await second).kind, 'response');
  await setTimeout(50);
  assert.equal(receiver.requests.length, 2);
});
