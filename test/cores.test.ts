import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, Cores, isAlive } from './helpers/cores.ts';
import { onlyPostgres, testDb } from './helpers/database.ts';
import { until } from './helpers/engine.ts';
import { openSite } from './helpers/nodes.ts';

const started = testDb === 'postgres' ? await Cores.start() : undefined;

async function open(): Promise<{ cores: Cores; here: Client; there: Client }> {
  assert.ok(started);
  const [here, there] = await started.connections();
  return { cores: started, here, there };
}

test('two processes answer, and neither is the one that was started', onlyPostgres, async () => {
  const { cores, here, there } = await open();
  assert.equal(new Set([here.pid, there.pid, cores.service.pid]).size, 3);
  assert.ok([here.pid, there.pid].every(isAlive));
});

test('who signs in at one is signed in at the other, and out at both', onlyPostgres, async () => {
  const { cores, here, there } = await open();
  const credentials = { email: 'reader@cores.example', password: 'reader of two processes' };
  await here.ok('POST', '/v1/admin/users', { token: cores.operator, body: { ...credentials, name: 'Reader' } });
  const { accessToken: token } = await here.ok('POST', '/v1/auth/sign-in', { body: credentials });
  for (const client of [here, there]) assert.equal((await client.send('GET', '/v1/auth/me', { token })).status, 200);
  await there.ok('POST', '/v1/auth/sign-out', { token });
  for (const client of [here, there]) assert.equal((await client.send('GET', '/v1/auth/me', { token })).status, 401);
});

test('a key that is revoked at one is refused by both within a second', onlyPostgres, async () => {
  const { cores, here, there } = await open();
  const { id: accountId } = await here.ok('POST', '/v1/admin/accounts', {
    token: cores.operator,
    body: { name: 'Revoked', type: 'SITE' },
  });
  const { id, key } = await here.ok('POST', '/v1/admin/api-keys', {
    token: cores.operator,
    body: { accountId, name: 'revoked', scopes: ['blog:read'] },
  });
  const status = async (client: Client): Promise<number> =>
    (await client.send('GET', '/v1/blog/posts', { token: key })).status;
  // Both have it in memory.
  for (const client of [here, there, here, there]) assert.equal(await status(client), 200);
  await here.ok('DELETE', `/v1/admin/api-keys/${id}`, { token: cores.operator });
  await until('both refuse it', async () => (await status(here)) === 401 && (await status(there)) === 401, 1000);
});

test('a post that is changed at one is seen at the other within a second', onlyPostgres, async () => {
  const { cores, here, there } = await open();
  const { apiKey, editor } = await openSite({ process: cores.service });
  const write = { title: 'Before', body: 'Some text.', category: 'News', tags: [] };
  const { id, slug } = await here.ok('POST', '/v1/blog/manage/posts', { token: editor, body: write });
  await here.ok('POST', `/v1/blog/manage/posts/${id}/publish`, { token: editor, body: {} });
  const shows = (title: string) => async (): Promise<boolean> => {
    const read = [here, there].map((client) => client.send('GET', `/v1/blog/posts/${slug}`, { token: apiKey }));
    return (await Promise.all(read)).every(({ body }) => body.title === title);
  };
  await until('both show it', shows('Before'), 1000);
  await there.ok('PATCH', `/v1/blog/manage/posts/${id}`, { token: editor, body: { title: 'After' } });
  await until('both show what it became', shows('After'), 1000);
});

/** Requests that each process has answered, by its label. */
function answered(metrics: string, operation: string): Map<string, number> {
  const lines = metrics.matchAll(/^posthorn_http_request_seconds_count\{(.*)\} (\d+)$/gm);
  const counts = new Map<string, number>();
  for (const [, labels = '', n] of lines) {
    const process = /process="(\d+)"/.exec(labels)?.[1] ?? 'none';
    if (labels.includes(`operation="${operation}"`)) counts.set(process, (counts.get(process) ?? 0) + Number(n));
  }
  return counts;
}

test('the metrics are of both processes, whichever is asked, and add up', onlyPostgres, async () => {
  const { here, there } = await open();
  for (const [client, times] of [
    [here, 5],
    [there, 7],
  ] as const)
    for (let i = 0; i < times; i++) await client.send('GET', '/v1/events', {});
  for (const client of [here, there]) {
    let metrics = '';
    // A request is counted right after its answer has gone out.
    await until('each process has counted its own', async () => {
      metrics = await client.ok('GET', '/metrics');
      const counts = answered(metrics, 'listEvents');
      return (
        [...counts.keys()].toSorted().join() === '0,1' &&
        [...counts.values()].toSorted((a, b) => a - b).join() === '5,7'
      );
    });
    const heads = [...metrics.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name);
    assert.equal(new Set(heads).size, heads.length, 'each metric is declared once');
    assert.ok(heads.includes('posthorn_process_resident_memory_bytes'));
  }
});

test('the limit of sign-ins is one for both processes', onlyPostgres, async () => {
  const { here, there } = await open();
  const body = { email: 'nobody@cores.example', password: 'wrong every time' };
  const statuses: number[] = [];
  // Ten a minute, taken in turn.
  for (let i = 0; i < 12; i++)
    statuses.push((await (i % 2 ? here : there).send('POST', '/v1/auth/sign-in', { body })).status);
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429, 429]);
});

test('a process that hangs is ended, and another takes its place', onlyPostgres, async () => {
  const { cores, here, there } = await open();
  process.kill(there.pid, 'SIGSTOP');
  await until('it is gone', () => !isAlive(there.pid), 60_000);
  const [one, other] = await cores.connections();
  assert.ok([one.pid, other.pid].includes(here.pid), 'the one that answers was left alone');
  assert.ok(![one.pid, other.pid].includes(there.pid));
});
