/** A text in single quotes of a shell: nothing within has a meaning there. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

interface Attempt {
  requestHeaders: Readonly<Record<string, string>>;
}

/** Headers that curl makes itself. */
const OWN = new Set(['content-length', 'host', 'connection', 'transfer-encoding']);

/**
 * The request of an attempt as a command for a shell. Headers of one's own stand there as `[redacted]`: their values are
 * not shown by the service.
 */
export function curlOf(url: string, { requestHeaders }: Attempt, body: string): string {
  const headers = Object.entries(requestHeaders)
    .filter(([name]) => !OWN.has(name.toLowerCase()))
    .map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`);
  return [`curl -X POST ${quoted(url)}`, ...headers, `  --data-binary ${quoted(body)}`].join(' \\\n');
}
