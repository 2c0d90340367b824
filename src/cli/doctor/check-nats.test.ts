import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { type NatsServer, noNatsServers, startNatsServers } from '../../../test/helpers/nats-servers.ts';
import { checkNats } from './check-nats.ts';

/** What docs/operations/sizing.md tells to allow, for a stream of another name. */
const DOCUMENTED = ['ours.>', 'posthorn.wake.>', '$JS.API.>', '$JS.ACK.>', '_INBOX.>'];

const userOf = (user: string, subjects: readonly string[]): string =>
  `{ user: ${user}, password: x, permissions: { publish: ${JSON.stringify(subjects)}, subscribe: ${JSON.stringify(subjects)} } }`;

const ACCOUNTS = `accounts {
  with { jetstream: enabled, users: [
    ${userOf('documented', DOCUMENTED)}, ${userOf('wakes', ['posthorn.wake.>'])}, ${userOf('nothing', ['other.>'])},
    ${userOf('unanswered', DOCUMENTED.slice(0, -1))}, ${userOf('reads', [...DOCUMENTED.slice(0, 2), '$JS.API.STREAM.INFO.>', '$JS.API.INFO', ...DOCUMENTED.slice(3)])}
  ] }
  without { users: [ { user: other, password: x } ] }
}`;

describe('what a user of NATS may not do is told', { skip: noNatsServers ?? false }, async () => {
  if (noNatsServers !== null) return;
  const dir = mkdtempSync(join(tmpdir(), 'posthorn-nats-users-'));
  cleanup(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'nats.conf'), ACCOUNTS);
  const [server] = (await startNatsServers(1, ['-c', join(dir, 'nats.conf')])) as [NatsServer];
  const found = async (user: string, WEBHOOK_DISPATCH: 'postgres' | 'jetstream'): Promise<string> => {
    const NATS_URL = `nats://${user}:x@127.0.0.1:${server.port}`;
    const finding = await checkNats({ NATS_URL, NATS_STREAM: 'ours', DATABASE_URL: undefined, WEBHOOK_DISPATCH });
    return `${finding.state}: ${finding.found.replace(/^\S+ answers/, 'answers')}`;
  };

  for (const [user, queue, wakes] of [
    ['documented', 'ok: answers (NATS_URL)', 'ok: answers (NATS_URL)'],
    [
      'wakes',
      'fail: answers, but its user may not publish to ours.>, subscribe to ours.>, publish to $JS.API.>, publish to $JS.ACK.>, subscribe to _INBOX.>',
      'ok: answers (NATS_URL)',
    ],
    ['unanswered', 'fail: answers, but its user may not subscribe to _INBOX.>', 'ok: answers (NATS_URL)'],
    ['reads', 'fail: answers, but its user may not publish to $JS.API.>', 'ok: answers (NATS_URL)'],
    [
      'nothing',
      'fail: answers, but its user may not publish to posthorn.wake.>, subscribe to posthorn.wake.>, publish to ours.>, subscribe to ours.>, publish to $JS.API.>, publish to $JS.ACK.>, subscribe to _INBOX.>',
      'fail: answers, but its user may not publish to posthorn.wake.>, subscribe to posthorn.wake.>',
    ],
    [
      'other',
      'fail: answers, but WEBHOOK_DISPATCH=jetstream needs JetStream: the account of its user has none',
      'ok: answers (NATS_URL)',
    ],
  ] as const)
    test(user, async () => {
      assert.equal(await found(user, 'jetstream'), queue);
      assert.equal(await found(user, 'postgres'), wakes);
    });

  test('and nothing is made by asking', async () => {
    await found('documented', 'jetstream');
    const { connect } = await import('@nats-io/transport-node');
    const { jetstreamManager } = await import('@nats-io/jetstream');
    const connection = await connect({ servers: `127.0.0.1:${server.port}`, user: 'documented', pass: 'x' });
    try {
      const { streams } = await jetstreamManager(connection);
      assert.deepEqual(await streams.names().next(), []);
    } finally {
      await connection.close();
    }
  });
});
