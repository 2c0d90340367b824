import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createClient, PosthornError } from './index.ts';

interface Asked {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
}

const servers: Server[] = [];
after(() => servers.forEach((server) => server.close().closeAllConnections()));

/** A server that sends those who ask for an address elsewhere, and has a post at all others. */
async function host(redirects: Readonly<Record<string, [status: number, location: string]>>) {
  const asked: Asked[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    asked.push({ method, url, headers });
    const [status, location] = redirects[url ?? ''] ?? [200, undefined];
    response.writeHead(status, { 'x-request-id': 'r-1', ...(location === undefined ? {} : { location }) });
    response.end('{"slug":"new","data":[]}');
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const refused = async (call: Promise<unknown>): Promise<PosthornError> => {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof PosthornError, String(error));
  assert.equal(error.code, 'REDIRECTED');
  return error;
};

test('a write is sent nowhere else, and never becomes a read: the error names what to mend', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const { asked, baseUrl } = await host({
      '/v1/webhooks/endpoints': [status, 'https://other.example/v1/webhooks/endpoints'],
    });
    const error = await refused(createClient({ baseUrl }).createEndpoint({ body: { url: 'https://a.example' } }));
    assert.deepEqual([error.status, error.requestId, asked.map(({ method }) => method)], [status, 'r-1', ['POST']]);
    assert.match(error.message, /redirect to https:\/\/other\.example\/v1\/webhooks\/endpoints, .*: mend baseUrl/);
  }
  const within = await host({ '/v1/webhooks/endpoints': [301, '/v1/webhooks/endpoints/'] });
  await refused(createClient(within).createEndpoint({ body: { url: 'https://a.example' } }));
  assert.equal(within.asked.length, 1);
});

test('a read goes on from an old address to the present one, with its credential', async () => {
  const { asked, baseUrl } = await host({
    '/below/v1/blog/posts/old': [301, 'older'],
    '/below/v1/blog/posts/older': [308, '/below/v1/blog/posts/new'],
  });
  const client = createClient({ baseUrl: `${baseUrl}/below`, credential: 'key' });
  assert.equal((await client.getPost({ slug: 'old' })).slug, 'new');
  assert.deepEqual(
    asked.map(({ url, headers }) => [url, headers.authorization]),
    ['old', 'older', 'new'].map((slug) => [`/below/v1/blog/posts/${slug}`, 'Bearer key']),
  );
});

test('a read is not sent on to another origin, in circles or nowhere', async () => {
  const other = await host({});
  const { asked, baseUrl } = await host({
    '/v1/blog/posts/away': [301, `${other.baseUrl}/v1/blog/posts/away`],
    '/v1/blog/posts/round': [302, '/v1/blog/posts/round'],
    '/v1/blog/posts/nowhere': [302, 'http://['],
  });
  const client = createClient({ baseUrl, credential: 'key' });
  const away = await refused(client.getPost({ slug: 'away' }));
  assert.ok(away.message.includes(`redirect to ${other.baseUrl}/v1/blog/posts/away, `));
  await refused(client.getPost({ slug: 'round' }));
  await refused(client.getPost({ slug: 'nowhere' }));
  assert.deepEqual([other.asked.length, asked.length], [0, 8]);
});

/** `fetch` as browsers have it: they do not show where a redirect leads. */
const browserFetch: typeof fetch = async (url, init) => {
  const response = await fetch(url, init);
  if (init?.redirect !== 'manual' || response.status < 300) return response;
  return Object.defineProperties(Response.error(), { type: { value: 'opaqueredirect' } });
};

test('in a browser, which hides where it leads, a read is followed within its origin, and a write refused', async () => {
  const other = await host({});
  const { asked, baseUrl } = await host({
    '/v1/blog/posts/old': [301, '/v1/blog/posts/new'],
    '/v1/blog/posts/away': [301, `${other.baseUrl}/v1/blog/posts/away`],
    '/v1/webhooks/endpoints': [301, '/elsewhere'],
  });
  const client = createClient({ baseUrl, fetch: browserFetch, maxRetries: 0 });
  assert.equal((await client.getPost({ slug: 'old' })).slug, 'new');
  const away = await refused(client.getPost({ slug: 'away' }));
  assert.ok(away.message.includes(`${other.baseUrl}/v1/blog/posts/away`));
  const error = await refused(client.createEndpoint({ body: { url: 'https://a.example' } }));
  assert.equal(error.status, null);
  assert.match(error.message, /redirect elsewhere, .*: mend baseUrl/);
  assert.deepEqual(asked.filter(({ method }) => method === 'POST').length, 1);
});

test('a client is not made for what is no address', async (t) => {
  for (const baseUrl of [
    '',
    '/',
    'localhost:3000',
    'posthorn.example.com',
    'ftp://a.example',
    'http://',
    '//a.example',
  ])
    assert.throws(() => createClient({ baseUrl }), TypeError, baseUrl);
  createClient({ baseUrl: 'HTTPS://a.example/below/' });
  const page = { configurable: true, value: { href: 'https://a.example/page' } };
  Object.defineProperty(globalThis, 'location', page);
  t.after(() => Reflect.deleteProperty(globalThis, 'location'));
  for (const baseUrl of ['', '/', '/below']) createClient({ baseUrl });
  assert.throws(() => createClient({ baseUrl: 'localhost:3000' }), TypeError);
  assert.throws(() => createClient({ baseUrl: '//a.example' }), TypeError);
});
