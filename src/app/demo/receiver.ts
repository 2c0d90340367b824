import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monotonicNow, systemClock } from '../../lib/clock.ts';
import { signatureFault } from '../../lib/signature-fault.ts';

/** One request that came in. */
export interface Arrival {
  at: Date;
  /** Of `monotonicNow`. */
  atMs: number;
  event: string;
  body: Readonly<Record<string, unknown>>;
  deliveryId: string;
  attempt: number;
  isReplay: boolean;
  /** Null: the signature is right. */
  fault: string | null;
  answered: number;
}

export interface Receiver {
  url: string;
  /** Answers 500 to the next request with this event, once. */
  failNext(event: string): void;
  close(): Promise<void>;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

const header = (request: IncomingMessage, name: string): string | undefined => request.headers[name]?.toString();

function parse(rawBody: string): Record<string, unknown> {
  try {
    return JSON.parse(rawBody) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** A small merchant's system on a free loopback port. `secretOf`: the signing secret by path, `/merchant`, `/business`. */
export async function startReceiver(
  secretOf: (path: string) => string | undefined,
  onArrival: (arrival: Arrival) => void,
): Promise<Receiver> {
  const failing = new Set<string>();
  const receive = async (request: IncomingMessage): Promise<number> => {
    const at = new Date(systemClock.now());
    const atMs = monotonicNow();
    const rawBody = await readBody(request);
    const secret = secretOf(request.url ?? '');
    const signature = header(request, 'x-service-signature');
    const fault =
      secret === undefined
        ? 'unknown path'
        : signatureFault(signature, rawBody, [secret], Math.floor(at.getTime() / 1000));
    const body = parse(rawBody);
    const event = String(body.event);
    const answered = fault !== null ? 400 : failing.delete(event) ? 500 : 200;
    onArrival({
      at,
      atMs,
      event,
      body,
      fault,
      answered,
      deliveryId: header(request, 'x-service-delivery-id') ?? '',
      attempt: Number(header(request, 'x-service-attempt')),
      isReplay: header(request, 'x-service-replay') === 'true',
    });
    return answered;
  };
  const server = createServer((request, response) => {
    receive(request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    );
  });
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failNext: (event) => void failing.add(event),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
