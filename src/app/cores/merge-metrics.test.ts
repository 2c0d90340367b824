import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Counter, Histogram, Registry } from 'prom-client';
import { mergeMetrics } from './merge-metrics.ts';

function registryOf(process: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  return registry;
}

test('each metric is told once, with the samples of every process; what only one has is there as well', async () => {
  const first = registryOf('0');
  const second = registryOf('1');
  for (const [i, registry] of [first, second].entries()) {
    new Counter({ name: 'done', help: 'Done.', labelNames: ['how'], registers: [registry] }).inc(
      { how: 'well' },
      i + 1,
    );
    new Histogram({ name: 'took', help: 'Took.', buckets: [1], registers: [registry] }).observe(i);
  }
  new Counter({ name: 'only', help: 'Only here.', registers: [second] }).inc();
  assert.equal(
    mergeMetrics([await first.metrics(), await second.metrics()]),
    `# HELP done Done.
# TYPE done counter
done{how="well",process="0"} 1
done{how="well",process="1"} 2

# HELP took Took.
# TYPE took histogram
took_bucket{le="1",process="0"} 1
took_bucket{le="+Inf",process="0"} 1
took_sum{process="0"} 0
took_count{process="0"} 1
took_bucket{le="1",process="1"} 1
took_bucket{le="+Inf",process="1"} 1
took_sum{process="1"} 1
took_count{process="1"} 1

# HELP only Only here.
# TYPE only counter
only{process="1"} 1
`,
  );
});
