import { Type } from 'typebox';
import { type AnyRoute, CursorQuery, cursorPageOf, read, Uuid } from '../../../platform/http/index.ts';
import { filterProperties } from '../deliveries/schemas.ts';
import { type SeenDeps, seenAccounts } from '../seen-accounts.ts';
import { listDeadLetters } from './list-dead-letters.ts';
import { DeadLetterErrorClass, DeadLetterGroupSchema } from './schemas.ts';

const { eventId: _event, tradeSessionId: _trade, ...filters } = filterProperties;

export const deadLetterRoutes = (deps: SeenDeps): AnyRoute[] => [
  read({
    method: 'GET',
    path: '/v1/webhooks/dead-letters',
    access: { account: 'webhooks:manage' },
    operationId: 'listDeadLetters',
    tag: 'Deliveries',
    summary: 'Dead letters by endpoint and cause',
    description:
      'What failed five times, or for two days by a fault of the service, and was neither discarded nor forgotten; a replay leaves its original here: `replayed` tells of how many a replay has arrived or is under way, `GET /v1/webhooks/deliveries` of which (`lastReplay`). In the order of endpoint and cause.',
    schemas: {
      query: Type.Object({
        accountId: Type.Optional(Uuid),
        ...filters,
        errorClass: Type.Optional(DeadLetterErrorClass),
        ...CursorQuery,
      }),
      replies: { 200: cursorPageOf(DeadLetterGroupSchema) },
    },
    errors: ['NOT_FOUND'],
    handle: async (db, { query: { accountId, ...query }, caller }) => ({
      status: 200,
      body: await listDeadLetters(db, query, seenAccounts(deps, caller, accountId)),
    }),
  }),
];
