/**
 * One text of Prometheus out of those of several processes, whose samples differ by a label: all samples of a metric stand
 * together below its HELP and TYPE, as the format wants it.
 */
export function mergeMetrics(texts: readonly string[]): string {
  const samples = new Map<string, string[]>();
  for (const text of texts) {
    for (const block of text.trimEnd().split('\n\n')) {
      const [help = '', type = '', ...lines] = block.split('\n');
      const head = `${help}\n${type}`;
      const known = samples.get(head);
      if (known) known.push(...lines);
      else samples.set(head, lines);
    }
  }
  return `${[...samples].map(([head, lines]) => [head, ...lines].join('\n')).join('\n\n')}\n`;
}
