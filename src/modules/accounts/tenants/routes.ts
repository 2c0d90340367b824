import { Type } from 'typebox';
import { type AnyRoute, IdParams, PageQuery, pageOf, read, Uuid, write } from '../../../platform/http/index.ts';
import { Account, AccountTypeSchema, Name, User } from '../schemas.ts';
import { addMember } from './add-member.ts';
import { createAccount } from './create-account.ts';
import { getAccount } from './get-account.ts';
import { listAccounts } from './list-accounts.ts';
import { listMembers } from './list-members.ts';
import { removeMember } from './remove-member.ts';
import { updateAccount } from './update-account.ts';

const tag = 'Administration';
const MemberParams = Type.Object({ id: Uuid, userId: Uuid });

export const accountRoutes: readonly AnyRoute[] = [
  read({
    method: 'GET',
    path: '/v1/admin/accounts',
    operationId: 'listAccounts',
    tag,
    summary: 'List accounts',
    access: 'operator',
    schemas: {
      query: Type.Object({
        q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name.' })),
        type: Type.Optional(AccountTypeSchema),
        ...PageQuery,
      }),
      replies: { 200: pageOf(Account) },
    },
    handle: async (db, { query }) => ({ status: 200, body: await listAccounts(db, query) }),
  }),
  write({
    method: 'POST',
    path: '/v1/admin/accounts',
    operationId: 'createAccount',
    tag,
    summary: 'Create an account',
    access: 'operator',
    schemas: {
      body: Type.Object({ name: Name, type: AccountTypeSchema }, { additionalProperties: false }),
      replies: { 201: Account },
    },
    handle: async (trx, { body, env }) => ({ status: 201, body: await createAccount(trx, body, env) }),
  }),
  read({
    method: 'GET',
    path: '/v1/admin/accounts/{id}',
    operationId: 'getAccount',
    tag,
    summary: 'An account',
    access: 'operator',
    errors: ['NOT_FOUND'],
    schemas: { params: IdParams, replies: { 200: Account } },
    handle: async (db, { params }) => ({ status: 200, body: await getAccount(db, params.id) }),
  }),
  write({
    method: 'PATCH',
    path: '/v1/admin/accounts/{id}',
    operationId: 'updateAccount',
    tag,
    summary: 'Rename an account',
    description: 'Its type stays. Lists and the members’ pages show the new name at once.',
    access: 'operator',
    errors: ['NOT_FOUND'],
    schemas: {
      params: IdParams,
      body: Type.Object({ name: Name }, { additionalProperties: false }),
      replies: { 200: Account },
    },
    handle: async (trx, { params, body, env }) => ({
      status: 200,
      body: await updateAccount(trx, { ...params, ...body }, env),
    }),
  }),
  read({
    method: 'GET',
    path: '/v1/admin/accounts/{id}/members',
    operationId: 'listMembers',
    tag,
    summary: 'List the members of an account',
    access: 'operator',
    errors: ['NOT_FOUND'],
    schemas: { params: IdParams, query: Type.Object(PageQuery), replies: { 200: pageOf(User) } },
    handle: async (db, { params, query }) => ({ status: 200, body: await listMembers(db, params.id, query) }),
  }),
  write({
    method: 'PUT',
    path: '/v1/admin/accounts/{id}/members/{userId}',
    operationId: 'addMember',
    tag,
    summary: 'Make a user a member of an account',
    access: 'operator',
    errors: ['NOT_FOUND'],
    schemas: { params: MemberParams, replies: { 204: null } },
    async handle(trx, { params, env }) {
      await addMember(trx, params, env);
      return { status: 204 };
    },
  }),
  write({
    method: 'DELETE',
    path: '/v1/admin/accounts/{id}/members/{userId}',
    operationId: 'removeMember',
    tag,
    summary: 'End a membership',
    access: 'operator',
    errors: ['NOT_FOUND'],
    schemas: { params: MemberParams, replies: { 204: null } },
    async handle(trx, { params, env }) {
      await removeMember(trx, params, env);
      return { status: 204 };
    },
  }),
];
