import {
  businessWebhooks,
  EVENTS,
  exampleBody,
  merchantWebhooks,
  webhookBodySchema,
} from '../contracts/events/index.ts';

const header = (name: string, description: string, pattern?: string, required = true) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string', ...(pattern ? { pattern } : {}) },
});

const HEADERS = [
  header(
    'X-Service-Signature',
    'HMAC-SHA256 over `<t>.<raw body>`; one v1 per valid secret.',
    '^t=\\d+(,v1=[0-9a-f]{64})+$',
  ),
  header('X-Service-Event-Id', 'The same on every retry and replay.'),
  header('X-Service-Delivery-Id', 'Of this delivery; a replay has its own.'),
  header('X-Service-Attempt', '1 to 5.'),
  header('X-Service-Replay', '`true` where somebody asked for it to be sent again; else not there.', '^true$', false),
  header(
    'X-Service-Test',
    '`true` where it is an invented example that was asked for to try the endpoint; else not there.',
    '^true$',
    false,
  ),
  header('webhook-id', 'Standard Webhooks: the event id, with `-derived` for a derived webhook.'),
  header('webhook-timestamp', 'Standard Webhooks: seconds since the epoch.'),
  header('webhook-signature', 'Standard Webhooks: `v1,<base64>` per valid secret.'),
  header('traceparent', 'W3C Trace Context: the event is the trace, the delivery its parent.'),
  header('User-Agent', '`Posthorn/<version>`.'),
];

/** OpenAPI `webhooks`: what endpoints receive, made from the catalogue of events. */
export function openapiWebhooks(): Record<string, unknown> {
  const entries = [...merchantWebhooks, ...businessWebhooks].map((name) => [
    name,
    {
      post: {
        operationId: `receive ${name}`.replaceAll(/[ ._](\w)/g, (_, letter: string) => letter.toUpperCase()),
        tags: [EVENTS[name].webhook === 'MERCHANT' ? 'Merchant webhooks' : 'Business webhooks'],
        summary: name,
        description: EVENTS[name].description,
        security: [],
        parameters: HEADERS,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: webhookBodySchema(name), example: exampleBody(name) } },
        },
        responses: {
          '2XX': { description: 'Received.' },
          '4XX': { description: 'Not received: tried again. 410 disables the endpoint.' },
        },
      },
    },
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}
