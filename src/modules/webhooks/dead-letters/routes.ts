import { Type } from 'typebox';
import type { Caller } from '../../../contracts/caller.ts';
import { type AnyRoute, CursorQuery, cursorPageOf, read } from '../../../platform/http/index.ts';
import { filterProperties } from '../deliveries/schemas.ts';
import { listDeadLetters } from './list-dead-letters.ts';
import { DeadLetterGroupSchema } from './schemas.ts';

export interface DeadLetterDeps {
  visibleAccounts(caller: Caller): 'all' | readonly string[];
}

const { tradeSessionId: _, ...filters } = filterProperties;

export const deadLetterRoutes = (deps: DeadLetterDeps): AnyRoute[] => [
  read({
    method: 'GET',
    path: '/v1/webhooks/dead-letters',
    access: { account: 'webhooks:manage' },
    operationId: 'listDeadLetters',
    tag: 'Deliveries',
    summary: 'Dead letters by endpoint and cause',
    description:
      'What failed five times and was neither discarded nor forgotten; a replay leaves its original here. In the order of endpoint and cause.',
    schemas: {
      query: Type.Object({ ...filters, ...CursorQuery }),
      replies: { 200: cursorPageOf(DeadLetterGroupSchema) },
    },
    handle: async (db, { query, caller }) => ({
      status: 200,
      body: await listDeadLetters(db, query, deps.visibleAccounts(caller)),
    }),
  }),
];
