import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { registerClockMetric } from '../../src/platform/db/database-clock.ts';
import { registerReplicaMetrics } from '../../src/platform/db/replica/replica-metrics.ts';
import { testService } from '../helpers/service.ts';
import { GUIDES } from './all-pages.ts';
import { metricsOf } from './metrics.ts';
import { nameFaults } from './names.ts';
import { parsePage } from './page.ts';

// With a mail server it has the metrics of e-mails as well; none is sent.
const service = await testService({
  withoutLoops: true,
  env: { SMTP_URL: 'smtp://127.0.0.1:2525', SMTP_FROM: 'no-reply@example.com' },
});
const registry = service.service.opened.platform.metrics;
// As with a replica, of which nothing is asked.
registerReplicaMetrics({ used: 0, fallbacks: new Map(), status: { reason: null, lagBytes: 0, lagMs: 0 } }, registry);
// As on PostgreSQL.
registerClockMetric({ offset: [0] }, registry);
const metrics = metricsOf(registry);

test('every name in backticks is spelled as the code spells it', (t) => {
  const results = GUIDES.map((page) => nameFaults(page, metrics));
  assert.deepEqual(
    results.flatMap(({ faults }) => faults),
    [],
  );
  const checked = results.reduce((sum, result) => sum + result.checked, 0);
  assert.ok(checked > 1000, `only ${checked}`);
  t.diagnostic(`${checked} names in ${GUIDES.length} pages`);
});

describe('an injected fault is found', () => {
  for (const [text, says] of [
    ['WEBHOOK_TIMEOUT_SECOND', /is no setting/],
    ['SITE_TITEL=Shop', /is no setting/],
    ['VALIDATION_EROR', /is no setting, code or state/],
    ['checkout.starting', /is no event/],
    ['/v1/blog/post', /is no operation/],
    ['GET /v1/webhooks/inbound/{reportId}', /is no operation/],
    ['PUT /v1/events', /is no operation/],
    ['GET /v1/blog/posts?order=newest', /takes no order/],
    ['POST …/{id}/resum', /is no operation/],
    ['posthorn_events_wait', /is no metric/],
    ['posthorn_reader_lag_events{name}', /has no label name/],
    ['listPost', /is no name/],
    ['npm run demos', /no script demos/],
    ['npm run static-blogs -w examples', /no script static-blogs/],
    ['posthorn imports markdown', /no command imports/],
    ['npm run posthorn -- import markdwon ./x', /no command markdwon/],
    ['npm run -s posthorn -- import markdwon ./x', /no command markdwon/],
    ['npx posthorn import markdwon ./x', /no command markdwon/],
    ['src/app/module.ts', /is no file/],
    ['X-Service-Event', /is no header/],
    ['events:publishing', /is no scope/],
    ['webhook_delivery', /is no name/],
    ['posthorn export ndjson ./x --formatt', /no option --formatt/],
  ] as const) {
    test(text, () => {
      const { faults } = nameFaults(parsePage('docs/x.md', `\`${text}\``), metrics);
      assert.equal(faults.length, 1, faults.join('\n'));
      assert.match(faults[0] as string, says);
    });
  }

  for (const block of [
    '```text\n$ echo x | npx posthorn logins --url x\n```',
    '```sh\nposthorn login --pasword x   # remark\n```',
  ]) {
    test(block, () => {
      const { faults } = nameFaults(parsePage('docs/x.md', block), metrics);
      assert.equal(faults.length, 1, faults.join('\n'));
    });
  }
});
