import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { RequestTimes } from './request-times.ts';

test('it tells what the histogram of the library would tell', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const times = new RequestTimes();
  ours.registerMetric(times.asMetric());
  const histogram = new Histogram({
    name: 'posthorn_http_request_seconds',
    help: 'Time to answer a request.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [theirs],
  });
  const seconds = [0, 0.0005, 0.001, 0.0011, 0.01, 0.5, 3, 10, 10.5, 100];
  for (const [operation, status] of [
    ['listPosts', 200],
    ['listPosts', 304],
    ['getPost', 200],
  ] as const) {
    for (const value of seconds) {
      times.observe(operation, status, value);
      histogram.observe({ operation, status }, value);
    }
  }
  assert.equal(await ours.metrics(), await theirs.metrics());
  ours.setDefaultLabels({ process: '1' });
  assert.match(await ours.metrics(), /_count\{operation="getPost",status="200",process="1"\} 10\n/);
  ours.resetMetrics();
  assert.doesNotMatch(await ours.metrics(), /_count/);
});
