import { lookup, Resolver } from 'node:dns/promises';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { codeOf, failureOfRoom, OutboundFailure } from './failure.ts';

/** All addresses of a name, unchecked. Rejects with an `OutboundFailure` of class DNS, or of a machine without room for a question. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface NameResolver {
  readonly resolve: Resolve;
  /** Gives up the queries under way, which would otherwise keep the process alive for seconds. */
  close(): void;
}

/** Answers that say "no such name or no such record", as opposed to "no answer". */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

export interface NameResolverOptions {
  /**
   * A name that DNS does not know is asked of the system after all (hosts file, search domains); meant for installations that
   * permit private targets, since public names need neither.
   */
  systemNames: boolean;
  /** Name servers, `address:port`. Default: those of the system. */
  servers?: readonly string[];
}

/**
 * Resolves by DNS queries on the event loop. `dns.lookup` would run in the thread pool: a few names whose servers never answer take
 * its four threads for many seconds each, and with them everyone's new connections, password hashing and the embedded database.
 */
export function createNameResolver({ systemNames, servers }: NameResolverOptions): NameResolver {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers) resolver.setServers(servers);
  async function resolve(hostname: string): Promise<readonly string[]> {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const codes = answers.map((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : 'ENODATA'));
    const trouble = codes.find((code) => !ABSENT.has(code));
    if (systemNames) return (await lookup(hostname, { all: true })).map(({ address }) => address);
    throw dnsFailure(trouble ?? 'ENOTFOUND');
  }
  return {
    resolve: shared(async (hostname) => {
      try {
        return await resolve(hostname);
      } catch (error) {
        throw withoutRoom() ?? (error instanceof OutboundFailure ? error : dnsFailure(codeOf(error)));
      }
    }),
    close: () => resolver.cancel(),
  };
}

/** Callers that ask for the same name while its answer is on the way share it: a burst of new connections is one query. */
export function shared(resolve: Resolve): Resolve {
  const underWay = new Map<string, Promise<readonly string[]>>();
  return (hostname) => {
    const known = underWay.get(hostname);
    if (known) return known;
    const answer = resolve(hostname).finally(() => underWay.delete(hostname));
    underWay.set(hostname, answer);
    return answer;
  };
}

/**
 * Why no file can be opened now, if that is so: a question to a name server takes one. Without, the library says that the server refused it
 * (`ECONNREFUSED`), and the system that there is no such name.
 */
function withoutRoom(): OutboundFailure | undefined {
  try {
    closeSync(openSync(devNull, 'r'));
    return undefined;
  } catch (error) {
    return failureOfRoom(error);
  }
}

function dnsFailure(code: string): OutboundFailure {
  return new OutboundFailure(
    'DNS',
    ABSENT.has(code) ? 'the host name does not exist' : `the host name could not be resolved (${code})`,
  );
}
