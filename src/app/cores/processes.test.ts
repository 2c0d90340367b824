import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfig } from '../../platform/config/index.ts';
import type { Role } from '../role.ts';
import { processesOf, roleOfProcess } from './processes.ts';

const ON_POSTGRES = {
  DATABASE_URL: 'postgres://x/y',
  POSTHORN_MASTER_KEY: Buffer.alloc(32).toString('base64'),
};
const DIVIDED = { ...ON_POSTGRES, FANOUT_PARTITIONS: '16' };
const of = (wanted: string | undefined, role: Role, cores: number, env: Record<string, string> = ON_POSTGRES): number =>
  processesOf(parseConfig({ ...env, ...(wanted === undefined ? {} : { WEB_CONCURRENCY: wanted }) }), role, cores);

test('one unless it is said otherwise; auto is one for each core, and one where more would be wrong', () => {
  assert.deepEqual([of(undefined, 'all', 8), of('3', 'all', 8), of('64', 'api', 1)], [1, 3, 64]);
  assert.deepEqual([of('auto', 'all', 8), of('auto', 'api', 100), of('auto', 'all', 1)], [8, 64, 1]);
  assert.deepEqual([of('auto', 'worker', 8), of('auto', 'all', 8, {})], [1, 1]);
});

test('a worker with more than one is refused', () => {
  assert.equal(of('1', 'worker', 8), 1);
  assert.throws(() => of('2', 'worker', 8), /A setting is wrong:\n {2}WEB_CONCURRENCY of more than 1 is for the roles/);
});

test('workers that share the sending may be several', () => {
  assert.deepEqual([of('2', 'worker', 8, DIVIDED), of('auto', 'worker', 8, DIVIDED)], [2, 8]);
});

const roles = (role: Role, env: Record<string, string>): Role[] =>
  [0, 1].map((process) => roleOfProcess(parseConfig(env), role, process));

test('the first process has the role that was given, the others serve requests only, unless they share the sending', () => {
  assert.deepEqual(
    [roles('all', ON_POSTGRES), roles('api', ON_POSTGRES)],
    [
      ['all', 'api'],
      ['api', 'api'],
    ],
  );
  assert.deepEqual(
    [roles('all', DIVIDED), roles('worker', DIVIDED), roles('api', DIVIDED)],
    [
      ['all', 'all'],
      ['worker', 'worker'],
      ['api', 'api'],
    ],
  );
});
