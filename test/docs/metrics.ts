import type { Registry } from 'prom-client';

/** Names of metrics with the labels that each has; a histogram by its own name and by those of its series. */
export function metricsOf(registry: Registry): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const metric of registry.getMetricsAsArray()) {
    const { name, type, labelNames = [] } = metric as typeof metric & { labelNames?: readonly string[] };
    found.set(name, new Set(labelNames));
    // prom-client gives the type as a word.
    if (String(type) !== 'histogram') continue;
    for (const part of ['_sum', '_count']) found.set(name + part, new Set(labelNames));
    found.set(`${name}_bucket`, new Set([...labelNames, 'le']));
  }
  return found;
}
