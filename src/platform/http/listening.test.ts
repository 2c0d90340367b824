import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listeningUrl } from './listening.ts';

test('the address that a server listens on can be called', () => {
  const told = { HOST: 'blog.internal', PORT: 3000 };
  const at = (address: string) => listeningUrl({ address: () => ({ address, port: 81, family: '' }) }, told);
  assert.deepEqual(
    ['127.0.0.1', '0.0.0.0', '::', '::1', '10.1.2.3'].map(at),
    ['127.0.0.1', '127.0.0.1', '[::1]', '[::1]', '10.1.2.3'].map((host) => `http://${host}:81`),
  );
  assert.equal(listeningUrl({ address: () => null }, told), 'http://blog.internal:3000');
});
