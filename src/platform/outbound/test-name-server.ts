/** For tests only: a name server that speaks DNS over UDP and says what it is told to say. */
import { createSocket } from 'node:dgram';
import ipaddr from 'ipaddr.js';

/** All addresses of a name, of both families; a function is asked anew with every query of a family, `nth` counting from 0. */
export type Answer = readonly string[] | ((nth: number) => readonly string[]) | { code: number };
/** By name in lower case, without a trailing dot; other names do not exist. */
export type Zone = Record<string, Answer>;

export interface NameServer {
  /** `address:port` */
  address: string;
  /** `name type`, in the order in which they came. */
  queries: string[];
}

const TYPES: Record<number, 'ipv4' | 'ipv6'> = { 1: 'ipv4', 28: 'ipv6' };
/** "No such name" (RFC 1035, section 4.1.1). */
const NXDOMAIN = 3;

function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at };
}

function record(type: number, address: string): Buffer {
  const data = Buffer.from(ipaddr.parse(address).toByteArray());
  // The name of the question, class IN, TTL 0.
  return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]);
}

/** Starts one on 127.0.0.1. */
export async function startNameServer(t: { after(fn: () => Promise<void>): void }, zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4');
  const queries: string[] = [];
  socket.on('message', (query, from) => {
    const { name, end } = nameIn(query);
    const type = query.readUInt16BE(end + 1);
    const asked = `${name} ${type}`;
    const known = zone[name];
    const addresses = typeof known === 'function' ? known(queries.filter((q) => q === asked).length) : known;
    queries.push(asked);
    const code = addresses === undefined ? NXDOMAIN : 'code' in addresses ? addresses.code : 0;
    const found = Array.isArray(addresses) ? (addresses as string[]) : [];
    const records = found.filter((a) => ipaddr.parse(a).kind() === TYPES[type]).map((a) => record(type, a));
    const reply = Buffer.from(query.subarray(0, end + 5));
    reply.writeUInt16BE(0x8180 | code, 2);
    reply.writeUInt16BE(records.length, 6);
    reply.writeUInt16BE(0, 10);
    socket.send(Buffer.concat([reply, ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  t.after(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  return { address: `127.0.0.1:${socket.address().port}`, queries };
}
