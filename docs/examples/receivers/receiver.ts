/**
 * Receives webhooks: verifies each one, answers at once, handles each event once. Node 24, no dependency.
 *
 *     SIGNING_SECRETS=whsec_… node receiver.ts
 *
 * While you change over to a new secret, give both, separated by a comma.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';

const WINDOW_SECONDS = 300;

/** True when one of the signatures fits these very bytes, and the timestamp is at most five minutes off. */
export function isGenuine(
  header: string | undefined,
  rawBody: Buffer,
  secrets: readonly string[],
  now: number,
): boolean {
  const fields = (header ?? '').split(',').map((field) => field.trim().split('=', 2));
  const timestamp = fields.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > WINDOW_SECONDS) return false;
  const given = fields.filter(([name]) => name === 'v1').map(([, hex = '']) => Buffer.from(hex));
  let genuine = false;
  for (const secret of secrets) {
    const hex = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest('hex');
    const expected = Buffer.from(hex);
    for (const signature of given) {
      if (signature.length === expected.length && timingSafeEqual(signature, expected)) genuine = true;
    }
  }
  return genuine;
}

/** What is left of a setting: with an empty secret, anybody could sign. */
function secretsOf(setting: string): string[] {
  const secrets = setting.split(',').map((secret) => secret.trim());
  return secrets.filter((secret) => secret !== '');
}

interface WebhookEvent {
  event: string;
  tradeSessionId?: string;
}

const seen = new Set<string>(); // in your database: a unique key, inserted in the transaction that stores the event

function handle(event: WebhookEvent): void {
  console.log('handled', event.event, event.tradeSessionId ?? '');
}

async function receive(request: IncomingMessage, secrets: readonly string[]): Promise<number> {
  const rawBody = Buffer.concat(await request.toArray());
  const { 'x-service-signature': header, 'x-service-event-id': eventId } = request.headers;
  if (!isGenuine(header?.toString(), rawBody, secrets, Date.now() / 1000)) return 400;
  const event = JSON.parse(rawBody.toString()) as WebhookEvent;
  const key = JSON.stringify([event.tradeSessionId ?? eventId, event.event]);
  if (!seen.has(key)) setImmediate(handle, event);
  seen.add(key);
  return 204;
}

function serve(secrets: readonly string[], port: number): void {
  if (secrets.length === 0) {
    console.error('SIGNING_SECRETS is missing: the signing secret of the account');
    process.exit(1);
  }
  const server = createServer((request, response) => {
    receive(request, secrets).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(port, '127.0.0.1');
}

/** Lines of time, secrets, header and body (both in base64): says of each whether it is genuine. */
async function checkVectors(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const [now = '', secrets = '', header = '', body = ''] = line.split('\t');
    const text = Buffer.from(header, 'base64').toString();
    const genuine = isGenuine(text, Buffer.from(body, 'base64'), secretsOf(secrets), Number(now));
    console.log(genuine ? 'genuine' : 'refused');
  }
}

if (process.argv[2] === '--check') await checkVectors();
else serve(secretsOf(process.env.SIGNING_SECRETS ?? ''), Number(process.env.PORT ?? 4000));
