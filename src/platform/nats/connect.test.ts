import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { OF_LOCALHOST, RECEIVER_KEY, trust } from '../../../test/helpers/certificates.ts';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { until } from '../../../test/helpers/engine.ts';
import { type NatsServer, noNatsServers, startNatsServers } from '../../../test/helpers/nats-servers.ts';
import { connectTo } from './connect.ts';

/** Where the server is, with what stands before the host. */
const at = ({ port }: NatsServer, before = ''): string => `nats://${before}127.0.0.1:${port}`;
const byTls = ({ port }: NatsServer): string => `tls://ph:x@localhost:${port}`;

async function connects(url: string): Promise<void> {
  const connection = await connectTo(url, 'test', new AbortController().signal);
  await connection.flush();
  await connection.close();
}

/** What is said of tries that come to nothing. */
async function failureOf(url: string): Promise<string> {
  const end = new AbortController();
  const failures: unknown[] = [];
  const trying = connectTo(url, 'test', end.signal, (error) => failures.push(error));
  await Promise.race([until('a failure', () => failures.length > 0), trying]);
  end.abort();
  await assert.rejects(trying);
  return String(failures[0]);
}

/** A certificate of localhost, which this process trusts until the end of the file. */
function tlsFlags(): string[] {
  const dir = mkdtempSync(join(tmpdir(), 'posthorn-tls-'));
  cleanup(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'cert.pem'), OF_LOCALHOST);
  writeFileSync(join(dir, 'key.pem'), RECEIVER_KEY);
  trust(OF_LOCALHOST);
  return ['--tls', '--tlscert', join(dir, 'cert.pem'), '--tlskey', join(dir, 'key.pem')];
}

describe('a connection to NATS', { skip: noNatsServers ?? false }, () => {
  test('is made with the user and password of the address, of each server of a cluster', async () => {
    const servers = await startNatsServers(3, ['--user', 'p@h', '--pass', '4711/x']);
    const url = servers.map((server) => at(server, 'p%40h:4711%2Fx@')).join(',');
    await connects(url);
    await servers[0]?.kill();
    await connects(url);
    assert.match(await failureOf(at(servers[1] as NatsServer, 'p%40h:wrong@')), /Authorization Violation/);
    assert.match(await failureOf(at(servers[1] as NatsServer)), /Authorization Violation/);
  });

  test('is made with the token of the address', async () => {
    const [server] = (await startNatsServers(1, ['--auth', '1token'])) as [NatsServer];
    await connects(at(server, '1token@'));
    assert.match(await failureOf(at(server, 'other@')), /Authorization Violation/);
  });

  test('is encrypted with tls://, or there is none', async () => {
    const [plain] = (await startNatsServers()) as [NatsServer];
    assert.match(await failureOf(byTls(plain)), /does not support 'tls'/);
    const [secure] = (await startNatsServers(1, tlsFlags())) as [NatsServer];
    await connects(byTls(secure));
  });
});
