import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutboundOutcome, OutboundRequest } from './index.ts';
import { AUTHORITY, EXPIRED, RECEIVER_KEY, VALID } from '../../../test/helpers/certificates.ts';
import { TEST_CERTIFICATE } from './test-certificate.ts';
import {
  answering,
  LOOPBACK,
  senderFor,
  serverNameOf,
  silent,
  startReceiver,
  startTlsReceiver,
  target,
} from './test-receiver.ts';

const toLoopback = (): Promise<string[]> => Promise.resolve(['127.0.0.1']);
const requestTo = (url: string): OutboundRequest => ({ url: target(url), headers: [], body: '{}', deadlineMs: 5000 });
const classOf = (outcome: OutboundOutcome): string =>
  outcome.kind === 'failure' ? outcome.errorClass : `status ${outcome.status}`;

test('a self-signed certificate is TLS, with its cause, and nothing is sent', async (t) => {
  const receiver = await startTlsReceiver(t, answering(200));
  const sender = senderFor(t, LOOPBACK, { resolve: toLoopback });
  const outcome = await sender.send(requestTo(`https://receiver.test:${receiver.port}/`));
  assert.ok(outcome.kind === 'failure');
  assert.deepEqual(
    [outcome.errorClass, outcome.message],
    ['TLS', 'TLS handshake failed: the certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)'],
  );
  assert.equal(receiver.requests.length, 0);
});

test('the certificate is checked against the host name, which is also sent as SNI, while the address is pinned', async (t) => {
  const receiver = await startTlsReceiver(t, answering(200));
  const sender = senderFor(t, LOOPBACK, { resolve: toLoopback, extraCa: TEST_CERTIFICATE });
  for (let i = 0; i < 3; i++) {
    assert.equal(classOf(await sender.send(requestTo(`https://receiver.test:${receiver.port}/`))), 'status 200');
  }
  assert.equal(receiver.sockets.length, 1);
  assert.equal(serverNameOf(receiver.sockets[0]), 'receiver.test');
  for (const host of ['other.test', '127.0.0.1']) {
    const outcome = await sender.send(requestTo(`https://${host}:${receiver.port}/`));
    assert.equal(
      outcome.kind === 'failure' && outcome.message,
      `TLS handshake failed: the certificate is of receiver.test, not of ${host} (ERR_TLS_CERT_ALTNAME_INVALID)`,
      host,
    );
  }
});

test('of a certificate that is not trusted is told what stands in it', async (t) => {
  const toldOf = async (cert: string, extraCa?: string): Promise<string> => {
    const receiver = await startTlsReceiver(t, answering(200), { key: RECEIVER_KEY, cert });
    const sender = senderFor(t, LOOPBACK, extraCa === undefined ? {} : { extraCa });
    const outcome = await sender.send(requestTo(`https://127.0.0.1:${receiver.port}/`));
    return outcome.kind === 'failure' ? outcome.message : `status ${outcome.status}`;
  };
  assert.equal(await toldOf(VALID, AUTHORITY), 'status 200');
  assert.equal(
    await toldOf(EXPIRED, AUTHORITY),
    'TLS handshake failed: the certificate expired at 2021-01-01T00:00:00Z (CERT_HAS_EXPIRED)',
  );
  assert.equal(
    await toldOf(VALID),
    'TLS handshake failed: no chain of certificates leads to a public authority: the one of its issuer “Posthorn test authority” is missing; most often the server does not send the intermediate ones (its full chain) (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
  );
  assert.equal(
    await toldOf(`${VALID}\n${AUTHORITY}`),
    'TLS handshake failed: the certificate is of an authority that is not a public one (“Posthorn test authority”) (SELF_SIGNED_CERT_IN_CHAIN)',
  );
});

test('a new connection may resume the session of the last one', async (t) => {
  const receiver = await startTlsReceiver(t, (socket) =>
    socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
  );
  const sender = senderFor(t, LOOPBACK, { resolve: toLoopback, extraCa: TEST_CERTIFICATE });
  const url = `https://receiver.test:${receiver.port}/`;
  const outcomes = await Promise.all([sender.send(requestTo(url)), sender.send(requestTo(url))]);
  outcomes.push(await sender.send(requestTo(url)));
  assert.deepEqual(outcomes.map(classOf), ['status 200', 'status 200', 'status 200']);
  assert.equal(receiver.sockets.length, 3);
});

test('a receiver that speaks no TLS is TLS; one that hangs in the handshake is TIMEOUT', async (t) => {
  const plain = await startReceiver(t, answering(400));
  const sender = senderFor(t, LOOPBACK);
  plain.onConnection = (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
  assert.equal(classOf(await sender.send(requestTo(`https://127.0.0.1:${plain.port}/`))), 'TLS');
  plain.onConnection = (socket) => socket.once('data', () => socket.destroy());
  const closed = await sender.send(requestTo(`https://127.0.0.1:${plain.port}/`));
  assert.deepEqual(closed.kind === 'failure' && [closed.errorClass, closed.message], [
    'TLS',
    'TLS handshake failed: the server closed the connection (ECONNRESET)',
  ]);
  const hanging = await startReceiver(t, silent);
  const outcome = await sender.send({ ...requestTo(`https://127.0.0.1:${hanging.port}/`), deadlineMs: 60 });
  assert.equal(classOf(outcome), 'TIMEOUT');
});

test('what a server says in the handshake is told in words, also of codes with a slash', async (t) => {
  const sender = senderFor(t, LOOPBACK);
  const toldOf = async (answer: Buffer | string): Promise<string> => {
    const receiver = await startReceiver(t, silent);
    receiver.onConnection = (socket) => socket.once('data', () => socket.end(answer));
    const outcome = await sender.send(requestTo(`https://127.0.0.1:${receiver.port}/`));
    return outcome.kind === 'failure' ? `${outcome.errorClass} ${outcome.message}` : `status ${outcome.status}`;
  };
  const alert = (code: number): Buffer => Buffer.from([0x15, 3, 3, 0, 2, 2, code]);
  assert.equal(
    await toldOf(alert(40)),
    'TLS TLS handshake failed: the server refused: it has no certificate for this host, or wants one of the client (ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE)',
  );
  assert.equal(
    await toldOf(alert(70)),
    'TLS TLS handshake failed: the server speaks no TLS 1.2 or newer (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION)',
  );
  assert.equal(await toldOf(alert(45)), 'TLS TLS handshake failed (ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED)');
  assert.equal(
    await toldOf('HTTP/1.1 400 Bad Request\r\n\r\n'),
    'TLS TLS handshake failed: what answers at this port does not speak TLS (ERR_SSL_WRONG_VERSION_NUMBER)',
  );
});
