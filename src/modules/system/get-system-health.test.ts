import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDb } from '../../../test/helpers/database.ts';
import { testService } from '../../../test/helpers/service.ts';
import type { SystemHealth } from './schemas.ts';

test('operators learn how the node and its database fare, and nobody else does', async () => {
  const service = await testService({ withoutLoops: true });
  const token = await service.operator();
  const health = await service.ok<SystemHealth>(200, 'GET', '/v1/admin/system', { token });
  const { database, memory, node } = health;
  assert.equal(node, service.service.opened.platform.nodeId);
  assert.deepEqual([database.kind, health.bus], testDb === 'postgres' ? ['postgres', 'POSTGRES'] : ['pglite', 'LOCAL']);
  assert.match(database.version, /^1[5-9]/);
  assert.match(database.schema ?? '', /^\d{4}-.*\.sql$/);
  assert.ok(database.sizeBytes > 1_000_000 && database.answerMs >= 0, JSON.stringify(database));
  assert.ok(memory.residentBytes > memory.heapUsedBytes && memory.heapUsedBytes > 0, JSON.stringify(memory));
  assert.deepEqual([health.replica, health.sharedRateLimits, health.mail], [null, false, false]);
  const { token: reader } = await service.user();
  await service.refused('FORBIDDEN', 'GET', '/v1/admin/system', { token: reader });
});
