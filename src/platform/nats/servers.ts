import { familyOf } from '../../lib/cidr.ts';

const PORT = '4222';

/** Where the servers of `NATS_URL` are, and how one connects to any of them: options of the client as they stand. */
export interface NatsServers {
  /** `host:port`, without anything else: the client would take what stands before it for a part of the address. */
  servers: string[];
  /** TLS is required; a server that does not offer it is refused. */
  tls?: Record<string, never>;
  user?: string;
  pass?: string;
  token?: string;
}

export type ParsedNatsUrl = { ok: true; found: NatsServers } | { ok: false; reason: string };

/** The reason follows the setting's name and never repeats what was written: passwords stand in it. */
const refused = (reason: string): ParsedNatsUrl => ({ ok: false, reason });

const EXAMPLE = 'such as nats://user:password@host:4222 or tls://token@host';

function userOf({ username, password }: URL): Omit<NatsServers, 'servers'> {
  if (username === '') return {};
  const name = decodeURIComponent(username);
  return password === '' ? { token: name } : { user: name, pass: decodeURIComponent(password) };
}

function parseOne(text: string): ParsedNatsUrl {
  const url = /^(?:nats|tls):\/\//i.test(text) ? URL.parse(text) : null;
  if (!url?.hostname) return refused(`must be a nats:// or tls:// URL, or several with commas between, ${EXAMPLE}`);
  const { protocol, hostname, port, username, password, pathname, search, hash } = url;
  if (!['', '/'].includes(pathname) || search !== '' || hash !== '') {
    return refused(
      `must have nothing behind the port, ${EXAMPLE}; in a password %2F stands for /, %3F for ?, %23 for #`,
    );
  }
  // The client would look for `localhost` in the certificate.
  if (protocol === 'tls:' && familyOf(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) {
    return refused('must have a name behind tls://, not an address: the certificate of the server is checked by it');
  }
  if (username === '' && password !== '') return refused(`must name a user with the password, ${EXAMPLE}`);
  try {
    const tls = protocol === 'tls:' ? { tls: {} } : {};
    return { ok: true, found: { servers: [`${hostname}:${port || PORT}`], ...tls, ...userOf(url) } };
  } catch {
    return refused('must have user name, password or token percent-encoded: %25 stands for %');
  }
}

/** `nats://user:password@host:4222`, `nats://token@host`, `tls://…`, or several that differ in host and port only. */
export function parseNatsUrl(text: string): ParsedNatsUrl {
  const servers: string[] = [];
  const ways = new Map<string, NatsServers>();
  for (const one of text.split(',')) {
    const parsed = parseOne(one.trim());
    if (!parsed.ok) return parsed;
    const { servers: at, ...way } = parsed.found;
    servers.push(...at);
    ways.set(JSON.stringify(way), parsed.found);
  }
  const [way] = ways.values();
  if (!way || ways.size > 1) {
    return refused('must have the same user, password or token in all its URLs, and either nats:// or tls:// in all');
  }
  return { ok: true, found: { ...way, servers } };
}

/** The same for a `NATS_URL` that was checked at the start. Throws for any other. */
export function natsServersOf(text: string): NatsServers {
  const parsed = parseNatsUrl(text);
  if (!parsed.ok) throw new Error(`NATS_URL ${parsed.reason}`);
  return parsed.found;
}
