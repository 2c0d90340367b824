import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import type { AddressRules } from './address-rules.ts';
import { certificateFault } from './certificate-fault.ts';
import { codeOf, failureOfConnecting, OutboundFailure } from './failure.ts';
import type { Resolve } from './resolver.ts';
import { isLocalhostName, localhostAddresses, type TargetUrl } from './target-url.ts';

/**
 * So long does one address of several have to accept the connection, the last one without limit. Node's own limit, 250 ms,
 * gives up on all far-away addresses but the last. Milliseconds.
 */
const ADDRESS_MS = 3000;

export interface ConnectorOptions {
  readonly rules: AddressRules;
  readonly resolve: Resolve;
  /** One for all connections: building it per connection costs more than the handshake's own work. */
  readonly secureContext: () => SecureContext;
}

/** What a TLS connection to an origin leaves behind for the next one: resuming saves a round trip and the key exchange. */
export interface TlsSession {
  ticket?: Buffer;
}

export type SocketCallback = (...result: [null, Socket] | [OutboundFailure, null]) => void;

/** Takes what was read of a socket: valid until it returns. False: the socket is not read until somebody reads its stream. */
export type Take = (socket: Socket, chunk: Buffer) => boolean;

/** What is read of all sockets of a thread, one after the other: memory that is warm, and nothing to be made for each read. Bytes. */
const READ = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Opens a connection to the target: resolves its name, checks every address, and connects to one of exactly those addresses, so
 * that nothing a name server says later matters. `done` is called once, or never after the returned function cancelled. `take` gets what is read; nothing of it
 * goes into the socket's stream but what `take` puts there.
 */
export function openSocket(
  target: TargetUrl,
  options: ConnectorOptions,
  session: TlsSession,
  { done, take }: { done: SocketCallback; take: Take },
): () => void {
  let cancelled = false;
  let socket: Socket | undefined;
  const finish: SocketCallback = (...result) => {
    if (!cancelled) done(...result);
  };
  async function open(): Promise<void> {
    try {
      const addresses = await checkedAddresses(target.hostname, options);
      if (!cancelled) socket = connectPinned(target, addresses, options, session, { done: finish, take });
    } catch (error) {
      finish(asFailure(error), null);
    }
  }
  void open();
  return () => {
    cancelled = true;
    socket?.destroy();
  };
}

/**
 * The addresses of a host, all of them permitted. A name with one forbidden address is refused as a whole: an honest name has no
 * reason to mix, and one that does is probing for the order in which addresses are tried.
 * @throws {OutboundFailure} BLOCKED_TARGET or DNS. The message does not say what the name resolved to: that may be an inside matter.
 */
export async function checkedAddresses(
  hostname: string,
  { rules, resolve }: Pick<ConnectorOptions, 'rules' | 'resolve'>,
): Promise<readonly string[]> {
  // net.connect calls no lookup hook for literals, whatever their notation; they are checked here or nowhere.
  const addresses = isIP(hostname) === 0 ? await addressesOfName(hostname, rules, resolve) : [hostname];
  if (addresses.length === 0) throw new OutboundFailure('DNS', 'the host name has no address');
  if (!addresses.every((address) => rules.permits(address))) throw blocked();
  return addresses;
}

async function addressesOfName(hostname: string, rules: AddressRules, resolve: Resolve): Promise<readonly string[]> {
  if (!isLocalhostName(hostname)) {
    try {
      return await resolve(hostname);
    } catch (error) {
      // A resolver that was handed in may reject with anything.
      throw error instanceof OutboundFailure
        ? error
        : new OutboundFailure('DNS', 'the host name could not be resolved');
    }
  }
  const addresses = localhostAddresses(rules);
  if (addresses.length === 0) throw blocked();
  return addresses;
}

function asFailure(error: unknown): OutboundFailure {
  return error instanceof OutboundFailure
    ? error
    : new OutboundFailure('CONNECT', `connection failed (${codeOf(error)})`);
}

function blocked(): OutboundFailure {
  return new OutboundFailure('BLOCKED_TARGET', 'the target is not a public address');
}

function connectPinned(
  target: TargetUrl,
  addresses: readonly string[],
  { secureContext }: ConnectorOptions,
  session: TlsSession,
  { done, take }: { done: SocketCallback; take: Take },
): Socket {
  const literal = isIP(target.hostname) !== 0;
  const tcp = {
    host: target.hostname,
    port: target.port,
    lookup: pinnedLookup(addresses),
    // Tries the next address when one does not answer (RFC 8305).
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_MS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    onread: {
      buffer: READ,
      callback: (bytes: number, buffer: Uint8Array) => take(socket, (buffer as Buffer).subarray(0, bytes)),
    },
  };
  let handshaking = false;
  let fault: string | undefined;
  let socket: Socket;
  if (target.secure) {
    const tls = connectTls({
      ...tcp,
      ...(literal ? {} : { servername: target.hostname }),
      ...(session.ticket ? { session: session.ticket } : {}),
      secureContext: secureContext(),
      ALPNProtocols: ['http/1.1'],
    });
    tls.once('connect', () => (handshaking = true));
    tls.on('session', (ticket) => (session.ticket = ticket));
    onRefusal(tls, (error) => {
      fault = certificateFault(codeOf(error), target.hostname, tls.getPeerCertificate(true));
    });
    socket = tls;
  } else {
    socket = connectTcp(tcp);
  }
  let open = false;
  socket.once(target.secure ? 'secureConnect' : 'connect', () => {
    open = true;
    done(null, socket);
  });
  // Stays for the life of the socket: an 'error' without a listener would end the process.
  socket.on('error', (error) => {
    if (open) return;
    open = true;
    // A ticket that the peer no longer likes must not spoil the next attempt.
    delete session.ticket;
    done(failureOfConnecting(error, handshaking, fault), null);
  });
  return socket;
}

/**
 * Calls back when Node ends a connection for an error, most often since it does not trust the certificate. The 'error' event is too
 * late: the certificate is gone by then. To read it of every connection would cost each handshake a tenth of a millisecond.
 */
function onRefusal(socket: TLSSocket, refused: (error: Error) => void): void {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    if (error && !socket.authorized && !socket.destroyed) refused(error);
    return destroy(error);
  };
}

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all) callback(null, entries);
    else callback(null, entries[0]?.address ?? '', entries[0]?.family);
  };
}
