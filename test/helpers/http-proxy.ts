import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { cleanup } from './cleanup.ts';

export interface ProxiedReply {
  status: number;
  text: string;
  headers?: Record<string, string>;
}

/** What is done to a request: `pass` gives it to the service, once. What this resolves with is the answer. */
export type Meddle = (
  request: { method: string; path: string },
  pass: () => Promise<ProxiedReply>,
) => Promise<ProxiedReply>;

/** Of a connection, not of what is sent over it; and what `fetch` has undone already. */
const OWN = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'content-encoding',
  'expect',
]);

const passed = (headers: Iterable<[string, string | string[] | undefined]>): Record<string, string> =>
  Object.fromEntries(
    [...headers].flatMap(([name, value]) => (typeof value === 'string' && !OWN.has(name) ? [[name, value]] : [])),
  );

/** Stands before a service, and lets a test do what networks and proxies do. Gives its address. */
export async function httpProxy(target: string, meddle: Meddle): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url: path = '/' } = request;
    const body = await buffer(request);
    const pass = async (): Promise<ProxiedReply> => {
      const reply = await fetch(target + path, {
        method,
        headers: passed(Object.entries(request.headers)),
        redirect: 'manual',
        ...(body.length === 0 ? {} : { body }),
      });
      return { status: reply.status, headers: passed(reply.headers), text: await reply.text() };
    };
    const { status, headers = {}, text } = await meddle({ method, path }, pass);
    response.writeHead(status, headers).end(text);
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
