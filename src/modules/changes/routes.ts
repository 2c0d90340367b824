import { type AnyRoute, cursorPageOf, IdParams, read } from '../../platform/http/index.ts';
import { type AccountChangesDeps, listAccountChanges } from './list-account-changes.ts';
import { listChanges } from './list-changes.ts';
import { AccountChangesQuery, Change, ChangesQuery } from './schemas.ts';

const tag = 'Administration';
const replies = { 200: cursorPageOf(Change) };

export const changesRoutes = (deps: AccountChangesDeps): AnyRoute[] => [
  read({
    method: 'GET',
    path: '/v1/admin/changes',
    operationId: 'listChanges',
    tag,
    summary: 'Who changed the configuration, newest first',
    description: 'Never changed, and kept when the thing is gone.',
    access: 'operator',
    schemas: { query: ChangesQuery, replies },
    handle: async (db, { query }) => ({ status: 200, body: await listChanges(db, query) }),
  }),
  read({
    method: 'GET',
    path: '/v1/accounts/{id}/changes',
    operationId: 'listAccountChanges',
    tag,
    summary: 'Who changed what of one’s account, newest first',
    // As its keys: one that leaked must not tell who works there.
    access: 'session',
    errors: ['NOT_FOUND'],
    schemas: { params: IdParams, query: AccountChangesQuery, replies },
    handle: async (db, { params, query, caller }) => ({
      status: 200,
      body: await listAccountChanges(deps, db, { ...params, query, caller }),
    }),
  }),
];
