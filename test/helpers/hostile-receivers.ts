import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { answering, type Script, silent } from '../../src/platform/outbound/test-receiver.ts';
import { EXPIRED, OF_ANOTHER_HOST, RECEIVER_KEY, VALID } from './certificates.ts';

/** What must become of a delivery, and what its log must show. */
export interface Expected {
  status: 'DELIVERED' | 'PENDING' | 'HELD';
  errorClass: string | null;
  responseStatus: number | null;
  /** What the log must say, where `N of` stands for any number of bytes; absent: nothing. */
  errorMessage?: string;
  /** Of a response; undefined: not looked at. */
  body?: string;
  /** Until the second attempt. Milliseconds; default: the wait of the schedule. */
  waitMs?: number;
  /** Of the endpoint afterwards; default ACTIVE. */
  endpoint?: 'ACTIVE' | 'DISABLED';
}

export interface Hostile {
  name: string;
  script: Script;
  /** With TLS, by this certificate; `self-signed`: by that of test-certificate.ts; `none`: it is called by https all the same. */
  certificate?: { key: string; cert: string } | 'self-signed' | 'none';
  /** One request after the other, so that the next one finds a kept connection, or one that was. */
  inTurn?: true;
  expected: Expected;
}

/** Where redirects lead to: something that only this machine can reach. */
export interface Inside {
  url: string;
  /** Now, in milliseconds of the epoch. */
  now: number;
}

/** Written at once: many small writes would keep this process from everything else. Bytes. */
const GUSH = 64 * 1024;

const writing =
  (text: string | Buffer): Script =>
  (socket) =>
    void socket.write(text);

/** Repetitions of a piece as often as the socket takes them, until the other side closes. */
function floodingAfter(head: string, piece: string): Script {
  const gush = Buffer.from(piece.repeat(Math.ceil(GUSH / piece.length)));
  return (socket) => {
    // 64 MB a second: as fast as it can, the kernel would take megabytes ahead of a reader that has had enough.
    const more = (): void => {
      if (socket.destroyed) return;
      if (!socket.writableNeedDrain) socket.write(gush);
      setTimeout(more, 1);
    };
    socket.write(head);
    more();
  };
}

/** A byte now and then, which keeps every limit on idle time from acting. */
const dripping =
  (head: string): Script =>
  (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write('x'), 250);
    socket.on('close', () => clearInterval(timer));
  };

/** Ends the connection when the bytes have left. */
const afterwards =
  (text: string, end: (socket: Socket) => void): Script =>
  (socket) =>
    void socket.write(text, () => setImmediate(() => end(socket)));

const failed = (errorClass: string, errorMessage: string): Expected => ({
  status: 'PENDING',
  errorClass,
  responseStatus: null,
  errorMessage,
});
/** After the header fields of a 200. */
const cut = (errorClass: string, errorMessage: string, body?: string): Expected => ({
  ...failed(errorClass, errorMessage),
  responseStatus: 200,
  ...(body === undefined ? {} : { body }),
});
const refused = (responseStatus: number, errorClass: string, more: Partial<Expected> = {}): Expected => ({
  status: 'PENDING',
  errorClass,
  responseStatus,
  ...more,
});
const delivered = (responseStatus: number, body: string): Expected => ({
  status: 'DELIVERED',
  errorClass: null,
  responseStatus,
  body,
});

const OK = 'HTTP/1.1 200 OK\r\n';
const KEPT = 16 * 1024;
const SECOND = 1000;
/** What the service must wait for an answer. Milliseconds. */
export const TIMEOUT_MS = 9 * SECOND;
const LATE = failed('TIMEOUT', `no response within ${TIMEOUT_MS} ms`);
const incomplete = (amount: string): Expected =>
  cut('TIMEOUT', `the response was not complete within ${TIMEOUT_MS} ms: ${amount}`);
const PART = '4 of the 100 bytes of its body came (Content-Length)';
const CLOSED = failed('RESET', 'connection closed by the receiver');
const TOO_MUCH = failed('PROTOCOL', 'the response has more bytes around its body than any should');
const TOO_LONG_HEADERS = failed('PROTOCOL', 'the response headers are larger than 16 KiB');
const BOMB = gzipSync(Buffer.alloc(32 * 1024 * 1024));

/** They keep the connection and give nothing, or too little. */
export const SLOW: readonly Hostile[] = [
  { name: 'accepts and never answers', script: silent, expected: LATE },
  { name: 'a status line without end, byte by byte', script: dripping('HTTP/1.1 200 '), expected: LATE },
  { name: 'a header without end, byte by byte', script: dripping(`${OK}x-a: `), expected: LATE },
  {
    name: 'a body of which a byte comes now and then',
    script: dripping(`${OK}content-length: 100000\r\n\r\n`),
    expected: incomplete('N of the 100000 bytes of its body came (Content-Length)'),
  },
  {
    name: 'the size of a chunk without its bytes',
    script: writing(`${OK}transfer-encoding: chunked\r\n\r\nffffff\r\n`),
    expected: incomplete('0 bytes of its body came, but not its end'),
  },
];

/** They give more than anybody wants. */
export const ENDLESS: readonly Hostile[] = [
  {
    name: 'a body without end',
    script: floodingAfter(`${OK}\r\n`, 'y'),
    expected: delivered(200, 'y'.repeat(KEPT)),
  },
  {
    name: 'a body of an announced terabyte',
    script: floodingAfter(`${OK}content-length: 1099511627776\r\n\r\n`, 'z'),
    expected: delivered(200, 'z'.repeat(KEPT)),
  },
  {
    name: 'chunks without end',
    script: floodingAfter(`${OK}transfer-encoding: chunked\r\n\r\n`, `400\r\n${'c'.repeat(1024)}\r\n`),
    expected: delivered(200, 'c'.repeat(KEPT)),
  },
  {
    name: 'a failure with a body without end',
    script: floodingAfter('HTTP/1.1 500 Down\r\n\r\n', 'e'),
    expected: refused(500, 'HTTP_5XX', { body: 'e'.repeat(KEPT) }),
  },
  { name: 'headers without end', script: floodingAfter(OK, 'x-more: and more\r\n'), expected: TOO_LONG_HEADERS },
  { name: 'a header without end', script: floodingAfter(`${OK}x-a: `, 'b'), expected: TOO_LONG_HEADERS },
  {
    name: 'trailers without end',
    script: floodingAfter(`${OK}transfer-encoding: chunked\r\n\r\n0\r\n`, 'x-more: and more\r\n'),
    expected: cut('PROTOCOL', 'the response headers are larger than 16 KiB', ''),
  },
  {
    name: 'an extension of a chunk without end',
    script: floodingAfter(`${OK}transfer-encoding: chunked\r\n\r\n1;a=`, 'b'),
    expected: cut('PROTOCOL', 'the response has more bytes around its body than any should', ''),
  },
  { name: 'a reason without end', script: floodingAfter('HTTP/1.1 200 ', 'O'), expected: TOO_MUCH },
  { name: 'empty lines without end', script: floodingAfter('', '\r\n'), expected: TOO_MUCH },
  {
    name: 'a gzip bomb',
    script: writing(
      Buffer.concat([Buffer.from(`${OK}content-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`), BOMB]),
    ),
    expected: delivered(200, `[compressed body, ${BOMB.length} bytes read]`),
  },
  {
    name: '1xx responses without end',
    script: floodingAfter('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
    expected: failed('PROTOCOL', 'too many 1xx responses'),
  },
];

/** They break off, or speak something else. */
const BROKEN: Hostile[] = [
  {
    name: 'a reset in the middle of the body',
    script: afterwards(`${OK}content-length: 100\r\n\r\npart`, (socket) => socket.resetAndDestroy()),
    expected: cut('RESET', `connection reset by the receiver: ${PART}`, 'part'),
  },
  {
    name: 'the end in the middle of the body',
    script: afterwards(`${OK}content-length: 100\r\n\r\npart`, (socket) => socket.end()),
    expected: cut('RESET', `connection closed by the receiver: ${PART}`, 'part'),
  },
  { name: 'half-closed before it answers', script: (socket) => void socket.end(), expected: CLOSED },
  {
    name: 'half-closed in the headers',
    script: (socket) => void socket.end(`${OK}x-a: `),
    expected: CLOSED,
  },
  {
    name: 'HTTP/0.9',
    script: (socket) => void socket.end('<html>It works</html>'),
    expected: failed('PROTOCOL', 'not a valid HTTP/1.1 response (Expected HTTP/, RTSP/ or ICE/)'),
  },
  {
    name: 'an upgrade that nobody asked for',
    script: writing('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    expected: failed('PROTOCOL', 'the receiver sent a response that was not asked for'),
  },
  {
    name: 'a 100 Continue that nobody asked for',
    script: writing(`HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 2\r\n\r\nok`),
    expected: delivered(200, 'ok'),
  },
  {
    name: 'a second response that nobody asked for',
    script: writing(`${OK}content-length: 2\r\n\r\nokHTTP/1.1 500 Smuggled\r\ncontent-length: 0\r\n\r\n`),
    expected: delivered(200, 'ok'),
  },
  {
    name: 'NUL and broken UTF-8',
    script: writing(Buffer.concat([Buffer.from(`${OK}content-length: 4\r\n\r\n`), Buffer.from([0x61, 0, 0xff, 0x62])])),
    expected: delivered(200, 'a\u{FFFD}\u{FFFD}b'),
  },
  {
    name: 'the end of the connection after each reply, announced',
    script: (socket) => void socket.end(`${OK}connection: close\r\ncontent-length: 2\r\n\r\nok`),
    inTurn: true,
    expected: delivered(200, 'ok'),
  },
  {
    name: 'the end of the connection after each reply, without a word',
    script: (socket) => void socket.end(`${OK}content-length: 2\r\n\r\nok`),
    inTurn: true,
    expected: delivered(200, 'ok'),
  },
];

/** Whose identity cannot be trusted. */
const IDENTITIES: Hostile[] = [
  {
    name: 'a TLS handshake that is never answered',
    script: silent,
    certificate: 'none',
    expected: failed('TIMEOUT', `no connection within ${TIMEOUT_MS} ms`),
  },
  {
    name: 'a self-signed certificate',
    script: answering(200),
    certificate: 'self-signed',
    expected: failed('TLS', 'TLS handshake failed: the certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)'),
  },
  {
    name: 'an expired certificate',
    script: answering(200),
    certificate: { key: RECEIVER_KEY, cert: EXPIRED },
    expected: failed('TLS', 'TLS handshake failed: the certificate expired at 2021-01-01T00:00:00Z (CERT_HAS_EXPIRED)'),
  },
  {
    name: 'the certificate of another host',
    script: answering(200),
    certificate: { key: RECEIVER_KEY, cert: OF_ANOTHER_HOST },
    expected: failed(
      'TLS',
      'TLS handshake failed: the certificate is of elsewhere.test, not of 127.0.0.1 (ERR_TLS_CERT_ALTNAME_INVALID)',
    ),
  },
  {
    name: 'a certificate of an authority that is trusted, which is as it should be',
    script: answering(200, 'ok'),
    certificate: { key: RECEIVER_KEY, cert: VALID },
    expected: delivered(200, 'ok'),
  },
];

/** What they answer, `Retry-After` and `Location` included. */
function answers({ url, now }: Inside): Hostile[] {
  const limited = (value: string, waitMs?: number): Hostile => ({
    name: `429 with Retry-After: ${value}`,
    script: answering(429, 'later', `retry-after: ${value}\r\n`),
    expected: refused(429, 'HTTP_429', { body: 'later', ...(waitMs === undefined ? {} : { waitMs }) }),
  });
  return [
    { name: '204', script: writing('HTTP/1.1 204 No Content\r\n\r\n'), expected: delivered(204, '') },
    { name: '299', script: answering(299, 'odd'), expected: delivered(299, 'odd') },
    { name: '300', script: answering(300), expected: refused(300, 'HTTP_3XX') },
    {
      name: 'a redirect to the inside',
      script: answering(302, '', `location: ${url}\r\n`),
      expected: refused(302, 'HTTP_3XX', { errorMessage: `redirects to ${url}, and redirects are not followed` }),
    },
    {
      name: 'a redirect that keeps the method, to the inside',
      script: answering(307, '', `location: ${url}\r\n`),
      expected: refused(307, 'HTTP_3XX', { errorMessage: `redirects to ${url}, and redirects are not followed` }),
    },
    { name: 'a redirect without an address', script: answering(308), expected: refused(308, 'HTTP_3XX') },
    {
      name: '410',
      script: answering(410),
      expected: { ...refused(410, 'HTTP_410', { endpoint: 'DISABLED' }), status: 'HELD' },
    },
    limited('200', 200 * SECOND),
    limited(new Date(now + 250 * SECOND).toUTCString(), 250 * SECOND),
    // Twice the wait at most; less than the wait, the past and nonsense change nothing.
    limited('86400', 300 * SECOND),
    limited('Fri, 01 Jan 2100 00:00:00 GMT', 300 * SECOND),
    limited('99999999999999999999', 300 * SECOND),
    limited('1'),
    limited('Thu, 01 Jan 1970 00:00:00 GMT'),
    limited('-1'),
    limited('soon'),
    {
      name: '503 with Retry-After: 200',
      script: answering(503, '', 'retry-after: 200\r\n'),
      expected: refused(503, 'HTTP_5XX', { waitMs: 200 * SECOND }),
    },
  ];
}

/** Every receiver that behaves badly in a way of its own, for a service that waits `TIMEOUT_MS` for an answer. */
export const hostileReceivers = (inside: Inside): readonly Hostile[] => [
  ...SLOW,
  ...ENDLESS,
  ...BROKEN,
  ...IDENTITIES,
  ...answers(inside),
];
