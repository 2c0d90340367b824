import assert from 'node:assert/strict';
import { Module } from 'node:module';
import { test } from 'node:test';
import { answering, LOOPBACK, type Script, senderFor, startReceiver, target } from './test-receiver.ts';

test('where no more files can be opened, what takes undici fails as a connection would, and nothing else does', async (t) => {
  const loader = Module as unknown as { _load: (name: string, ...more: unknown[]) => unknown };
  const load = loader._load;
  const end = (): void => void (loader._load = load);
  t.after(end);
  loader._load = (name, ...more) => {
    if (name === 'undici') throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
    return load.call(loader, name, ...more);
  };
  const chunked: Script = (socket) =>
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n');
  const [receiver, odd] = [await startReceiver(t, answering(200, 'fine')), await startReceiver(t, chunked)];
  const sender = senderFor(t, LOOPBACK, { connectionsPerOrigin: 1 });
  const plain = { url: target(receiver.url), body: '{}', deadlineMs: 2000 };
  const requests = [
    { ...plain, headers: ['x', 'é'] },
    { ...plain, headers: [] },
    // On a kept connection.
    { ...plain, headers: ['x', 'é'] },
    { ...plain, headers: [], url: target(odd.url) },
    { ...plain, headers: [] },
  ];
  const outcomes = async (): Promise<unknown[]> => {
    const told: unknown[] = [];
    for (const request of requests) {
      const outcome = await sender.send(request);
      told.push(outcome.kind === 'response' ? outcome.body : `${outcome.errorClass} ${outcome.message}`);
    }
    return told;
  };
  const failed =
    'CONNECT this machine has no room for another connection (EMFILE): raise its limit of open files (ulimit -n)';
  assert.deepEqual(await outcomes(), [failed, 'fine', failed, failed, 'fine']);
  assert.deepEqual([receiver.requests.length, odd.requests.length], [2, 1]);
  end();
  assert.deepEqual(await outcomes(), Array(5).fill('fine'));
});
