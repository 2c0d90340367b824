import { Type } from 'typebox';
import type { ErrorCode } from '../../../contracts/errors.ts';
import { type AnyRoute, IdParams, pageOf, PageQuery, read, toPage, Uuid, write } from '../../../platform/http/index.ts';
import { DeliverySchema, deliveryView } from '../deliveries/schemas.ts';
import { seenAccounts } from '../seen-accounts.ts';
import { getEndpointHealth } from '../health/get-endpoint-health.ts';
import { EndpointHealthSchema } from '../health/schemas.ts';
import { createEndpoint } from './create-endpoint.ts';
import { type EndpointDeps, findManaged, openHeaders } from './deps.ts';
import {
  type EndpointChange,
  endpointBodies,
  type EndpointInput,
  type EndpointKind,
  endpointNames,
  EndpointSchema,
  endpointView,
} from './schemas.ts';
import { type EndpointRow, selectEndpoints } from './store.ts';
import { testEndpoint } from './test-endpoint.ts';
import { deleteEndpoint, pauseEndpoint, resumeEndpoint, updateEndpoint } from './update-endpoint.ts';

const access = { account: 'webhooks:manage' } as const;

const TestBody = Type.Object(
  { event: Type.Optional(Type.String({ maxLength: 100 })) },
  { additionalProperties: false },
);
const AccountQuery = { accountId: Type.Optional(Uuid) };

/** Routes to register, change and remove addresses of one kind; both kinds are alike (interface.md §6.2). */
export function endpointRoutes(deps: EndpointDeps, kind: EndpointKind): AnyRoute[] {
  const { path, noun, tag, what } = endpointNames[kind];
  const bodies = endpointBodies(kind);
  const view = (row: EndpointRow) => endpointView(row, Object.keys(openHeaders(deps, row) ?? {}));
  const one = { 200: EndpointSchema };
  const common = { access, tag } as const;
  const action = (verb: 'pause' | 'resume', summary: string, run: typeof pauseEndpoint, error?: ErrorCode): AnyRoute =>
    write({
      ...common,
      method: 'POST',
      path: `${path}/{id}/${verb}`,
      operationId: `${verb}${noun}`,
      summary,
      schemas: { params: IdParams, replies: one },
      errors: ['NOT_FOUND', ...(error ? [error] : [])],
      handle: async (trx, { params, caller, env }) => ({
        status: 200,
        body: view(await run(deps, trx, { id: params.id, caller, kind }, env)),
      }),
    });
  return [
    write({
      ...common,
      method: 'POST',
      path,
      operationId: `create${noun}`,
      summary: `Register ${what}`,
      schemas: { query: Type.Object(AccountQuery), body: bodies.create, replies: { 201: EndpointSchema } },
      errors: ['NOT_FOUND', 'ENDPOINT_LIMIT_REACHED', 'INVALID_STATE'],
      async handle(trx, { body, query, caller, env }) {
        const input = {
          body: body as EndpointInput,
          caller,
          kind,
          ...(query.accountId === undefined ? {} : { accountId: query.accountId }),
        };
        return { status: 201, body: view(await createEndpoint(deps, trx, input, env)) };
      },
    }),
    read({
      ...common,
      method: 'GET',
      path,
      operationId: `list${noun}s`,
      summary: 'List them, newest first',
      schemas: { query: Type.Object({ ...AccountQuery, ...PageQuery }), replies: { 200: pageOf(EndpointSchema) } },
      errors: ['NOT_FOUND'],
      async handle(db, { query, caller }) {
        const accounts = seenAccounts(deps, caller, query.accountId);
        const { total, rows } = await selectEndpoints(db, { kind, accounts, page: query.page, limit: query.limit });
        return { status: 200, body: toPage(query, total, rows.map(view)) };
      },
    }),
    read({
      ...common,
      method: 'GET',
      path: `${path}/{id}`,
      operationId: `get${noun}`,
      summary: 'One of them',
      schemas: { params: IdParams, replies: one },
      errors: ['NOT_FOUND'],
      handle: async (db, { params, caller }) => ({
        status: 200,
        body: view(await findManaged(deps, db, caller, params.id, kind)),
      }),
    }),
    read({
      ...common,
      method: 'GET',
      path: `${path}/{id}/health`,
      operationId: `get${noun}Health`,
      summary: 'How it fares',
      description: 'Attempts are those of up to ten seconds ago, in buckets of five minutes.',
      schemas: { params: IdParams, replies: { 200: EndpointHealthSchema } },
      errors: ['NOT_FOUND'],
      async handle(db, { params, caller, env }) {
        const row = await findManaged(deps, db, caller, params.id, kind);
        const { disableAfterMs } = deps;
        return { status: 200, body: await getEndpointHealth(db, row, { now: env.now, disableAfterMs }) };
      },
    }),
    write({
      ...common,
      method: 'PATCH',
      path: `${path}/{id}`,
      operationId: `update${noun}`,
      summary: 'Change it; `events: null` means every event of the kind',
      schemas: { params: IdParams, body: bodies.update, replies: one },
      errors: ['NOT_FOUND'],
      async handle(trx, { params, body, caller, env }) {
        return {
          status: 200,
          body: view(
            await updateEndpoint(deps, trx, { id: params.id, caller, kind, body: body as EndpointChange }, env),
          ),
        };
      },
    }),
    write({
      ...common,
      method: 'DELETE',
      path: `${path}/{id}`,
      operationId: `delete${noun}`,
      summary: 'Remove it; what waits for it is discarded',
      schemas: { params: IdParams, replies: { 204: null } },
      errors: ['NOT_FOUND'],
      async handle(trx, { params, caller, env }) {
        await deleteEndpoint(deps, trx, { id: params.id, caller, kind }, env);
        return { status: 204 };
      },
    }),
    action('pause', 'Keep deliveries instead of sending them', pauseEndpoint, 'INVALID_STATE'),
    action(
      'resume',
      'Send again, beginning with what was kept; a disabled one is tried with one delivery first',
      resumeEndpoint,
    ),
    write({
      ...common,
      method: 'POST',
      path: `${path}/{id}/test`,
      operationId: `test${noun}`,
      summary: 'Send an example event',
      description: 'Signed and retried like any other, and sent to a paused or disabled endpoint as well.',
      schemas: { params: IdParams, body: TestBody, replies: { 202: DeliverySchema } },
      errors: ['NOT_FOUND'],
      async handle(trx, { params, body, caller, env }) {
        return {
          status: 202,
          body: deliveryView(await testEndpoint(deps, trx, { id: params.id, caller, kind, ...body }, env)),
        };
      },
    }),
  ];
}
