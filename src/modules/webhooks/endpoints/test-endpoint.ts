import type { Caller } from '../../../contracts/caller.ts';
import { invalid } from '../../../contracts/errors.ts';
import { type EventData, EVENTS, webhookBody, type WebhookName } from '../../../contracts/events/index.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { type DeliveryRow, dueRow, insertDue } from '../deliveries/store.ts';
import { type EndpointDeps, findManaged, wakeAfter } from './deps.ts';
import { type EndpointKind, webhooksOf } from './schemas.ts';

/** A trade of its own for each test: receivers key what they have handled by it and the event's name (interface.md §6.6), and would drop the second one. */
const exampleOf = (webhook: WebhookName, eventId: string): EventData<WebhookName> => {
  const { example } = EVENTS[webhook];
  return 'tradeSessionId' in example ? { ...example, tradeSessionId: `test_${eventId}` } : example;
};

/** Sends the catalogue's example of one event to the endpoint. It is a delivery like any other, but says that it is a test, and is not in the audit trail. */
export async function testEndpoint(
  deps: EndpointDeps,
  trx: Trx,
  input: { id: string; caller: Caller; kind: EndpointKind; event?: string },
  env: Env,
): Promise<DeliveryRow> {
  const endpoint = await findManaged(deps, trx, input.caller, input.id, input.kind);
  const names = webhooksOf(input.kind);
  const webhook = (input.event ?? endpoint.events?.[0] ?? names[0]) as WebhookName;
  if (!names.includes(webhook)) throw invalid({ path: 'body.event', message: `must be one of ${names.join(', ')}` });
  const eventId = env.newId();
  const content = {
    event_position: null,
    event_id: eventId,
    webhook,
    endpoint_id: endpoint.id,
    account_id: endpoint.account_id,
    body: webhookBody(webhook, exampleOf(webhook, eventId), env.now),
    replay_of: null,
  };
  const row = dueRow(content, env);
  await insertDue(trx, row);
  wakeAfter(deps, trx);
  return row;
}
