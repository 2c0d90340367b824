import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver } from '../../../test/helpers/receiver.ts';
import { forward, targetUrl } from './forward.ts';

test('short forms of an address', () => {
  assert.deepEqual(['4000', '4000/hooks', 'localhost:4000/hooks', 'https://127.0.0.1/x', 'my-machine'].map(targetUrl), [
    'http://localhost:4000',
    'http://localhost:4000/hooks',
    'http://localhost:4000/hooks',
    'https://127.0.0.1/x',
    'http://my-machine',
  ]);
});

test('body and headers go on as they are; a redirect is the answer, and is not followed', async () => {
  const receiver = await startReceiver(() => ({ status: 302, headers: { location: '/elsewhere' } }));
  const body = '{"text":"ü \\u0000"}';
  const sent = {
    'content-type': 'application/json',
    'user-agent': 'Posthorn/1',
    'x-service-signature': 't=1,v1=0',
    'content-length': '3',
    host: 'else',
  };
  const { status, error } = await forward(receiver.url('/a?b=c'), sent, body);
  assert.deepEqual([status, error], [302, null]);
  const [got, more] = receiver.received;
  assert.equal(more, undefined);
  assert.deepEqual([got?.path, got?.body], ['/a?b=c', body]);
  assert.deepEqual([got?.headers['user-agent'], got?.headers['x-service-signature']], ['Posthorn/1', 't=1,v1=0']);
  assert.notEqual(got?.headers.host, 'else');
});
