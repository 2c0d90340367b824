import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from './helpers/ask.ts';
import { startChild } from './helpers/child.ts';
import { Cores, isAlive, isRefused, twoProcessesOn } from './helpers/cores.ts';
import { emptyPostgres, migratedPostgres, onlyPostgres } from './helpers/database.ts';
import { until } from './helpers/engine.ts';

test('kill -9 of the one that was started leaves nothing behind', onlyPostgres, async () => {
  const cores = await Cores.start();
  const pids = (await cores.connections()).map(({ pid }) => pid);
  await cores.service.kill();
  await until('nobody listens', () => isRefused(cores.service.port));
  await until('its processes are gone', () => pids.every((pid) => !isAlive(pid)));
});

/** Of the processes that said that they listen. */
const pidsIn = (output: string): number[] =>
  [...output.matchAll(/"pid":(\d+).*"this process is listening"/g)].map(([, pid]) => Number(pid));

test('a process that hangs while it drains is ended, and the exit code says so', onlyPostgres, async () => {
  const { child, ended, output } = await startChild({
    ...twoProcessesOn(await migratedPostgres()),
    DRAIN_SECONDS: '30',
  });
  const pids = pidsIn(output());
  child.kill('SIGTERM');
  process.kill(pids[1] as number, 'SIGSTOP');
  assert.equal(await ended, 1, output());
  assert.match(output(), /"process":1.*does not answer any more: ending it/);
  assert.deepEqual(pids.map(isAlive), [false, false]);
});

test('a second signal ends it at once', onlyPostgres, async () => {
  const { child, ended, output } = await startChild(twoProcessesOn(await migratedPostgres()));
  child.kill('SIGTERM');
  child.kill('SIGINT');
  assert.equal(await ended, 1, output());
  assert.match(output(), /asked twice to stop/);
});

test(
  'where a process cannot be started again another goes on; with none that does the whole ends with its error',
  onlyPostgres,
  async () => {
    const url = await migratedPostgres();
    const { ended, output } = await startChild(twoProcessesOn(url));
    const name = new URL(url).pathname.slice(1);
    const admin = new URL(url);
    admin.pathname = '/postgres';
    await rowsOf(admin.href, `alter database ${name} with allow_connections false`);
    await rowsOf(admin.href, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    const pids = pidsIn(output());
    assert.equal(pids.length, 2, output());
    process.kill(pids[1] as number, 'SIGKILL');
    const tries = (): number => output().match(/Posthorn did not start: cannot use the database/g)?.length ?? 0;
    await until('five starts in vain', () => tries() >= 5, 60_000, 50);
    assert.ok(isAlive(pids[0] as number), 'the one that is ready goes on');
    assert.match(output(), /"process":1,"signal":"SIGKILL".*is started again/);
    process.kill(pids[0] as number, 'SIGKILL');
    assert.equal(await ended, 1, output());
    assert.match(output(), /a process does not start: stopping/);
    assert.deepEqual(pids.map(isAlive), [false, false]);
  },
);

test('where the first cannot start, the whole ends at once and says why', onlyPostgres, async () => {
  const gone = new URL(await emptyPostgres());
  gone.pathname += '-gone';
  const { output, ended } = await startChild(twoProcessesOn(gone.href));
  assert.equal(await ended, 1);
  assert.match(output(), /Posthorn did not start: cannot use the database/);
  assert.equal(output().match(/did not start/g)?.length, 1, 'it was tried once');
});
