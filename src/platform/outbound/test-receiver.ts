/** For tests only: receivers that speak HTTP as badly as a script says, counting what reaches them. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { TestContext } from 'node:test';
import { TEST_CERTIFICATE, TEST_KEY } from './test-certificate.ts';
import { createSender, parseTargetUrl, type OutboundPolicy, type Sender, type TargetUrl } from './index.ts';
import type { SenderOptions } from './sender.ts';

export const LOOPBACK: OutboundPolicy = { allowedTargets: ['127.0.0.0/8', '::1'], requireHttps: false };
export const PUBLIC_ONLY: OutboundPolicy = { allowedTargets: [], requireHttps: false };

export interface Receiver {
  port: number;
  url: string;
  /** Raw text of every request. */
  requests: string[];
  /** Every connection ever accepted. */
  sockets: Socket[];
  /** Connections open now. */
  open(): number;
  /** Called with each new connection. */
  onConnection?: (socket: Socket) => void;
}

/** Called with each complete request; `nth` counts them from 0 over all connections. */
export type Script = (socket: Socket, nth: number) => void;

export const answering =
  (status: number, body = '', headers = ''): Script =>
  (socket) =>
    socket.write(`HTTP/1.1 ${status} X\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);

export const silent: Script = () => undefined;

export function startReceiver(t: TestContext, script: Script, host = '127.0.0.1', port = 0): Promise<Receiver> {
  return listening(t, createServer(), 'connection', script, host, port);
}

export function startTlsReceiver(
  t: TestContext,
  script: Script,
  identity = { key: TEST_KEY, cert: TEST_CERTIFICATE },
): Promise<Receiver> {
  const server = createTlsServer(identity);
  return listening(t, server, 'secureConnection', script, '127.0.0.1', 0);
}

async function listening(
  t: TestContext,
  server: Server,
  event: 'connection' | 'secureConnection',
  script: Script,
  host: string,
  port: number,
): Promise<Receiver> {
  const requests: string[] = [];
  const sockets: Socket[] = [];
  const open = () => sockets.filter((socket) => !socket.destroyed).length;
  const receiver: Receiver = { port: 0, url: '', requests, sockets, open };
  server.on(event, (socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    receiver.onConnection?.(socket);
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (!complete(text)) return;
      requests.push(text);
      text = '';
      script(socket, requests.length - 1);
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  receiver.port = (server.address() as AddressInfo).port;
  receiver.url = `http://127.0.0.1:${receiver.port}/hook`;
  return receiver;
}

function complete(request: string): boolean {
  const end = request.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(request)?.[1];
  return end !== -1 && request.length >= end + 4 + Number(length ?? 0);
}

export const serverNameOf = (socket: Socket | undefined): unknown => (socket as TLSSocket | undefined)?.servername;

export function senderFor(t: TestContext, policy: OutboundPolicy, options: SenderOptions = {}): Sender {
  const sender = createSender(policy, options);
  t.after(() => sender.close());
  return sender;
}

export function target(url: string, policy: OutboundPolicy = LOOPBACK): TargetUrl {
  const parsed = parseTargetUrl(url, policy);
  if (!parsed.ok) throw new Error(`${url} ${parsed.reason}`);
  return parsed.url;
}

/** Resolves when the condition holds; it is looked at after every turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
