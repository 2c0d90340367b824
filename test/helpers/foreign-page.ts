import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { cleanup } from './cleanup.ts';

/** A host of somebody's own pages. */
export async function foreignHost(): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A shop</title>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What a script of the page sees of a reply; the error when the browser keeps it back. */
export interface Seen {
  status?: number;
  etag?: string | null;
  requestId?: string | null;
  body?: { accessToken?: string; total?: number; title?: string; error?: { code: string } } | null;
  error?: string;
}

/** Asks in a page, by a script of it. */
export const askFrom = (page: Page, url: string, init: object): Promise<Seen> =>
  page.evaluate<Seen>(`fetch(${JSON.stringify(url)}, ${JSON.stringify(init)}).then(
    async (reply) => ({
      status: reply.status,
      etag: reply.headers.get('etag'),
      requestId: reply.headers.get('x-request-id'),
      body: await reply.json().catch(() => null),
    }),
    (error) => ({ error: String(error) }),
  )`);
