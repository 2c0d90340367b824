const REDACTED = '[redacted]';
/** Header fields of replies whose values let somebody in. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'set-cookie',
  'set-cookie2',
  'cookie',
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'x-auth-token',
]);
/** Shorter ones are no credentials, and to take them out of a text would take out much else. */
const LEAST_LENGTH = 8;

/** What may be a credential in these custom header fields: each value, and each word of it (`Bearer <token>`). */
function secretsIn(custom: readonly string[]): string[] {
  const values = custom.filter((_, i) => i % 2 === 1);
  return [...new Set([...values, ...values.flatMap((v) => v.split(/[\s,;]+/))])]
    .filter((v) => v.length >= LEAST_LENGTH)
    .toSorted((a, b) => b.length - a.length);
}

interface Reply {
  headers: Record<string, string>;
  body: string;
}

function hasSecretField(headers: Record<string, string>): boolean {
  for (const name in headers) if (SECRET_FIELDS.has(name.toLowerCase())) return true;
  return false;
}

/**
 * What is kept of a reply: without cookies and the like, and without the endpoint's own headers, which a receiver may send
 * back. `custom` is a flat list of names and values.
 */
export function redacted(reply: Reply, custom: readonly string[]): Reply {
  const secrets = custom.length === 0 ? [] : secretsIn(custom);
  if (secrets.length === 0 && !hasSecretField(reply.headers)) return reply;
  const clean = (text: string): string => secrets.reduce((t, secret) => t.replaceAll(secret, REDACTED), text);
  return {
    headers: Object.fromEntries(
      Object.entries(reply.headers).map(([name, value]) => [
        name,
        SECRET_FIELDS.has(name.toLowerCase()) ? REDACTED : clean(value),
      ]),
    ),
    body: clean(reply.body),
  };
}
