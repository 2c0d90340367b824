import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { collectDefaultMetrics } from 'prom-client';
import { parse } from 'yaml';
import { testService } from '../helpers/service.ts';
import { linkFaults } from './links.ts';
import { metricsOf } from './metrics.ts';
import { parsePage } from './page.ts';

const textOf = (name: string): string =>
  readFileSync(new URL(`../../docs/operations/${name}`, import.meta.url), 'utf8');

// With a mail server it has the metrics of e-mails as well; none is sent.
const service = await testService({ env: { SMTP_URL: 'smtp://127.0.0.1:2525', SMTP_FROM: 'no-reply@example.com' } });
const registry = service.service.opened.platform.metrics;
// As src/app/deps.ts does for a process of its own.
collectDefaultMetrics({ register: registry, prefix: 'posthorn_' });
const metrics = metricsOf(registry);

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string; runbook: string };
}
interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}

const { groups } = parse(textOf('alerts.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(textOf('grafana-dashboard.json')) as { panels: Panel[] };

/** Metrics of ours that an expression names and /metrics has not, and labels that they lack. */
function faultsOf(expr: string): string[] {
  const faults: string[] = [];
  for (const [, name = '', selector = ''] of expr.matchAll(/\b(posthorn_\w+)(?:\{([^}]*)\})?/g)) {
    const labels = metrics.get(name);
    if (!labels) faults.push(`there is no ${name}`);
    for (const [, label = ''] of selector.matchAll(/(\w+)\s*[=!]/g))
      if (labels && !labels.has(label)) faults.push(`${name} has no label ${label}`);
  }
  if ((expr.match(/\(/g) ?? []).length !== (expr.match(/\)/g) ?? []).length) faults.push(`a bracket is open: ${expr}`);
  return faults;
}

test('every metric of the alert rules is in /metrics, and each says what to do', () => {
  assert.ok(rules.length >= 10);
  for (const { alert, expr, annotations } of rules) {
    assert.deepEqual(faultsOf(expr), [], alert);
    assert.ok(annotations.summary.length > 10, alert);
    assert.deepEqual(linkFaults(parsePage('alerts.md', `[${alert}](${annotations.runbook})`)), [], alert);
  }
});

test('what alert rules reckon with is told before it happens: Prometheus makes nothing of a series that is not there', async () => {
  const told = await registry.metrics();
  for (const series of [
    /^posthorn_webhook_attempts_total\{status="DELIVERED",error=""\} 0$/m,
    ...['TIMEOUT', 'CONNECT', 'HTTP_5XX', 'HTTP_410'].flatMap((error) => [
      new RegExp(`^posthorn_webhook_attempts_total\\{status="PENDING",error="${error}"\\} 0$`, 'm'),
      new RegExp(`^posthorn_webhook_attempts_total\\{status="DEAD",error="${error}"\\} 0$`, 'm'),
    ]),
    /^posthorn_webhook_endpoint_changes_total\{change="disabled"\} 0$/m,
  ])
    assert.match(told, series);
});

test('every metric of the Grafana dashboard is in /metrics, and the dashboard shows every metric of ours', () => {
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  assert.ok(expressions.length >= 20);
  assert.deepEqual(expressions.flatMap(faultsOf), []);
  const own = [...metrics.keys()].filter(
    (name) => name.startsWith('posthorn_') && !/^posthorn_(process|nodejs)_|_(sum|count|bucket)$/.test(name),
  );
  const all = expressions.join('\n');
  assert.deepEqual(
    own.filter((name) => !all.includes(name)),
    [],
  );
});

test('and in the table of the page', () => {
  const page = textOf('monitoring.md');
  const own = [...metrics.keys()].filter(
    (name) => name.startsWith('posthorn_') && !/^posthorn_(process|nodejs)_|_(sum|count|bucket)$/.test(name),
  );
  assert.deepEqual(
    own.filter((name) => !page.includes(`\`${name}`)),
    [],
  );
});

describe('an injected fault is found', () => {
  for (const [expr, says] of [
    ['sum(rate(posthorn_webhook_attempt_total[5m]))', 'there is no posthorn_webhook_attempt_total'],
    ['posthorn_reader_lag_events{name="x"}', 'posthorn_reader_lag_events has no label name'],
    ['sum(posthorn_events_waiting', 'a bracket is open'],
  ] as const) {
    test(expr, () => {
      const [fault = ''] = faultsOf(expr);
      assert.ok(fault.startsWith(says), fault);
    });
  }
});
