import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { addressRulesOf } from './address-rules.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Exchange } from './exchange.ts';
import { OutboundFailure, shutdownFailure } from './failure.ts';
import { hasHostHeader } from './request-headers.ts';
import { createNameResolver, shared, type NameResolver, type Resolve } from './resolver.ts';
import type { OutboundOutcome, OutboundPolicy, OutboundRequest } from './types.ts';

export interface Sender {
  /**
   * Sends one request to an address that the policy permits and never follows a redirect.
   * Never rejects, and resolves at the latest when `deadlineMs` is over (TIMEOUT).
   */
  send(request: OutboundRequest): Promise<OutboundOutcome>;
  /**
   * Ends at once: what is under way resolves as SHUTDOWN (it may have arrived all the same), and so does every later `send`.
   * Who wants requests to finish waits for them first. Resolves when the sockets are closed.
   */
  close(): Promise<void>;
}

export interface SenderOptions {
  /**
   * Connections per origin; further requests wait in line, within their deadline. Default 256: endpoints have caps of their
   * own, and many merchants behind one platform's address must not wait for each other.
   */
  connectionsPerOrigin?: number;
  /** How long an unused connection is kept. Default 30 s, below the idle limit of common proxies (60 s). */
  keepAliveMs?: number;
  /** Unused connections kept over all origins. Default 1,024. */
  maxIdleConnections?: number;
  /** How long a request waits at most for others of its origin that are under way already. Milliseconds. Default 50. */
  patienceMs?: number;
  /** Plain requests and replies go through undici, too; for tests. */
  throughUndici?: boolean;
  /** Name resolution; for tests. */
  resolve?: Resolve;
  /** Certificates (PEM) that are trusted besides those that Node knows. */
  extraCa?: string;
}

/** @throws {Error} when an entry of `policy.allowedTargets` is not a CIDR or an address. */
export function createSender(policy: OutboundPolicy, options: SenderOptions = {}): Sender {
  const resolver = resolverOf(policy, options);
  const pool = new ConnectionPool({
    connector: {
      rules: addressRulesOf(policy.allowedTargets),
      resolve: resolver.resolve,
      secureContext: once(() =>
        createSecureContext(options.extraCa ? { ca: [...rootCertificates, options.extraCa] } : {}),
      ),
    },
    connectionsPerOrigin: options.connectionsPerOrigin ?? 256,
    keepAliveMs: options.keepAliveMs ?? 30_000,
    maxIdleConnections: options.maxIdleConnections ?? 1024,
    patienceMs: options.patienceMs ?? 50,
    throughUndici: options.throughUndici ?? false,
  });
  return {
    send: (request) =>
      new Promise((resolve) => {
        const exchange = new Exchange(request, resolve);
        const refusal = refusalOf(request, policy, pool);
        if (refusal) exchange.fail(refusal);
        else pool.run(exchange);
      }),
    close: async () => {
      await pool.close();
      resolver.close();
    },
  };
}

/** Targets are checked again here: an endpoint may have been stored under another policy. Addresses are the connector's matter. */
function refusalOf(request: OutboundRequest, policy: OutboundPolicy, pool: ConnectionPool): OutboundFailure | null {
  if (pool.closed) return shutdownFailure();
  if (policy.requireHttps && !request.url.secure)
    return new OutboundFailure('BLOCKED_TARGET', 'the target is not https');
  if (hasHostHeader(request.headers) || (request.common && hasHostHeader(request.common)))
    return new OutboundFailure('PROTOCOL', 'the Host header cannot be set');
  return null;
}

function resolverOf(policy: OutboundPolicy, { resolve }: SenderOptions): NameResolver {
  if (resolve) return { resolve: shared(resolve), close: () => undefined };
  const { allowedTargets, nameServers } = policy;
  // Who names the servers wants what they say, not what the system would say instead.
  if (nameServers !== undefined) return createNameResolver({ systemNames: false, servers: nameServers });
  return createNameResolver({ systemNames: allowedTargets.length > 0 });
}

function once(create: () => SecureContext): () => SecureContext {
  let created: SecureContext | undefined;
  return () => (created ??= create());
}
