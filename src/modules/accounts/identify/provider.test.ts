import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { parseConfig } from '../../../platform/config/index.ts';
import { createSender } from '../../../platform/outbound/index.ts';
import type { Log } from '../../../platform/log/log.ts';
import { createKeySet } from './key-set.ts';
import { jwksFetcher, providerOf } from './provider.ts';

const replies: Record<string, string> = { '/keys': '{"keys":[]}', '/text': 'no JSON', '/other': '{"kees":[]}' };
const server = createServer((request, response) => response.end(replies[request.url ?? '']));
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const warnings: string[] = [];
const log = { warn: (message: string) => warnings.push(message) } as unknown as Log;
const sender = createSender({ allowedTargets: ['127.0.0.1/32'], requireHttps: false });
after(async () => {
  await sender.close();
  server.close();
});

const settings = (url: string, over: Record<string, string> = {}) =>
  parseConfig({
    POSTHORN_OIDC_ISSUER: 'https://id.example.com',
    POSTHORN_OIDC_AUDIENCE: 'posthorn',
    POSTHORN_OIDC_JWKS_URL: url,
    POSTHORN_ALLOWED_TARGETS: '127.0.0.1/32',
    ...over,
  });

test('the key set comes from the address of the settings', async () => {
  assert.deepEqual(await jwksFetcher(settings(`${origin}/keys`), sender, log)(), { keys: [] });
  await assert.rejects(jwksFetcher(settings(`${origin}/text`), sender, log)(), /not a JSON document/);
  const inTest = settings(`${origin}/keys`, { POSTHORN_ENV: 'test' });
  await assert.rejects(jwksFetcher(inTest, sender, log)(), /https/, 'only https outside development');
});

test('loopback is reached by default as webhooks reach it; what will be refused is told at once', async () => {
  const none = { POSTHORN_ALLOWED_TARGETS: '' };
  assert.deepEqual(await jwksFetcher(settings(`${origin}/keys`, none), sender, log)(), { keys: [] });
  const production = {
    ...none,
    POSTHORN_ENV: 'production',
    POSTHORN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const told = (url: string, over: Record<string, string>): string[] => {
    warnings.length = 0;
    jwksFetcher(settings(url, over), sender, log);
    return warnings.map((warning) => warning.replace(/:.*/, ''));
  };
  const isPrivate = 'POSTHORN_OIDC_JWKS_URL points to an address that is not public';
  assert.deepEqual(told('http://10.1.2.3/keys', none), [isPrivate]);
  assert.deepEqual(told('https://127.0.0.1/keys', production), [isPrivate]);
  assert.match(warnings.join(), /POSTHORN_ALLOWED_TARGETS/);
  assert.deepEqual(told('http://id.example.com/keys', production), ['POSTHORN_OIDC_JWKS_URL is not https']);
  assert.deepEqual(told('https://10.1.2.3/keys', { ...production, POSTHORN_ALLOWED_TARGETS: '10.0.0.0/8' }), []);
  assert.deepEqual(told(`${origin}/keys`, none), []);
});

test('what is no key set counts as a failure', async () => {
  const failures: unknown[] = [];
  const fetchJwks = jwksFetcher(settings(`${origin}/other`), sender, log);
  const keySet = createKeySet({ fetchJwks, monotonic: () => 0, onFailure: (error) => failures.push(error) });
  await assert.rejects(Promise.resolve(keySet({ alg: 'ES256' }, {} as never)), { code: 'UNAVAILABLE' });
  assert.equal(failures.length, 1);
});

test('the provider of the settings', () => {
  assert.deepEqual(providerOf(settings(origin)), { issuer: 'https://id.example.com', audience: 'posthorn' });
  assert.equal(providerOf(parseConfig({})), null);
});
