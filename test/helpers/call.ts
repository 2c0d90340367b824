/** Requests to a service that is a process of its own. Without node:test: benchmarks use it as well. */

// oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into field by field
type Body = any;

/** The body of a reply, which must be 2xx. */
export async function callPort(
  port: number,
  method: string,
  path: string,
  { body, token }: { body?: unknown; token?: string | undefined } = {},
): Promise<Body> {
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** Whether a service listens there and can do its work. */
export const isReadyAt = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    (reply) => reply.ok,
    () => false,
  );
