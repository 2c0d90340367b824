import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../src/lib/clock.ts';
import { testService } from './helpers/service.ts';

const HOUR = 3_600_000;

test('Date is the time of the service where the clock of the machine is another, on plain replies as on others', async () => {
  const offset = new Float64Array([-HOUR]);
  const service = await testService({
    withoutLoops: true,
    clock: { now: () => systemClock.now() - HOUR, offset },
  });
  const { key } = await service.key(['blog:read'], await service.account('SITE'));
  const dateOf = async (path: string): Promise<number> => {
    const { headers } = await service.call('GET', path, { token: key });
    return Date.parse(headers.get('date') ?? '');
  };
  // The second time the reply to a list is ready, and is written without the framework.
  for (const path of ['/healthz', '/v1/blog/posts', '/v1/blog/posts', '/docs']) {
    const late = systemClock.now() - HOUR - (await dateOf(path));
    assert.ok(late >= -1000 && late < 60_000, `${path}: ${late} ms`);
  }
});
