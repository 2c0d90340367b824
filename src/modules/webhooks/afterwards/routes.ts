import { Type } from 'typebox';
import { type AnyRoute, IdParams, Uuid, write } from '../../../platform/http/index.ts';
import { DeliverySchema, deliveryView } from '../deliveries/schemas.ts';
import { endpointNames, type EndpointKind } from '../endpoints/schemas.ts';
import { type SendDeps, sendEvent } from './send-event.ts';

const Body = Type.Object(
  {
    eventId: Type.Unsafe<string>({ ...Uuid, description: 'An event whose audience names the account.' }),
    event: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Name of the webhook, where the event causes two; default: the first.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Sends an event to one endpoint on purpose; both kinds are alike. */
export function sendRoutes(deps: SendDeps, kind: EndpointKind): AnyRoute[] {
  const { path, noun, tag } = endpointNames[kind];
  return [
    write({
      access: { account: 'webhooks:manage' },
      tag,
      method: 'POST',
      path: `${path}/{id}/deliveries`,
      operationId: `sendEventTo${noun}`,
      summary: 'Send an event of the past',
      description:
        'Also one that is older than the endpoint, or that it has not subscribed to. A new delivery each time; a replay, when there was one already, and 409 while that waits for an attempt.',
      schemas: { params: IdParams, body: Body, replies: { 202: DeliverySchema } },
      errors: ['NOT_FOUND', 'INVALID_STATE'],
      handle: async (trx, { params, body, caller, env }) => ({
        status: 202,
        body: deliveryView(await sendEvent(deps, trx, { id: params.id, kind, caller, ...body }, env)),
      }),
    }),
  ];
}
