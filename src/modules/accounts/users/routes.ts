import { Type } from 'typebox';
import {
  type AnyRoute,
  batch,
  commitReply,
  IdParams,
  Nullable,
  pageOf,
  PageQuery,
  read,
} from '../../../platform/http/index.ts';
import { passwordsOf } from '../passwords.ts';
import type { AccountsPlatform } from '../platform.ts';
import { BlogRoleSchema, Email, Name, NewPassword, User, UserDetail } from '../schemas.ts';
import { createUser } from './create-user.ts';
import { getUser } from './get-user.ts';
import { listUsers } from './list-users.ts';
import { updateUser } from './update-user.ts';

const tag = 'Administration';
const closed = { additionalProperties: false };

/** `batch`, where a password is hashed: see commit-reply.ts. */
export const userRoutes = ({ cipher, config }: AccountsPlatform): AnyRoute[] => [
  read({
    method: 'GET',
    path: '/v1/admin/users',
    operationId: 'listUsers',
    tag,
    summary: 'List users',
    access: 'operator',
    schemas: {
      query: Type.Object({
        q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name or address.' })),
        blogRole: Type.Optional(BlogRoleSchema),
        operator: Type.Optional(Type.Boolean()),
        ...PageQuery,
      }),
      replies: { 200: pageOf(User) },
    },
    handle: async (db, { query }) => ({ status: 200, body: await listUsers(db, query) }),
  }),
  read({
    method: 'GET',
    path: '/v1/admin/users/{id}',
    operationId: 'getUser',
    tag,
    summary: 'A user, and the accounts of which it is a member',
    access: 'operator',
    errors: ['NOT_FOUND'],
    schemas: { params: IdParams, replies: { 200: UserDetail } },
    handle: async (db, { params }) => ({ status: 200, body: await getUser(db, params.id) }),
  }),
  batch({
    method: 'POST',
    path: '/v1/admin/users',
    operationId: 'createUser',
    tag,
    summary: 'Create a user',
    access: 'operator',
    schemas: {
      body: Type.Object(
        {
          email: Email,
          name: Name,
          password: NewPassword,
          blogRole: Type.Optional(Nullable(BlogRoleSchema)),
          operator: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
      replies: { 201: User },
    },
    async handle(db, { body, env }, claim) {
      const { password, ...user } = body;
      const passwordHash = await passwordsOf(config).hash(password);
      return commitReply(db, claim, { env, cipher, secret: true }, async (trx) => ({
        status: 201,
        body: await createUser(trx, { ...user, passwordHash }, env),
      }));
    },
  }),
  batch({
    method: 'PATCH',
    path: '/v1/admin/users/{id}',
    operationId: 'updateUser',
    tag,
    summary: 'Change a user: name, e-mail, roles, password; disable or enable',
    description:
      'Acts on the next request of the user. Disabling and a new password end all sessions of the user. With a new e-mail address the user signs in by that one from then on.',
    access: 'operator',
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    schemas: {
      params: IdParams,
      body: Type.Object(
        {
          name: Type.Optional(Name),
          email: Type.Optional(Email),
          blogRole: Type.Optional(Nullable(BlogRoleSchema)),
          operator: Type.Optional(Type.Boolean()),
          disabled: Type.Optional(Type.Boolean()),
          password: Type.Optional(NewPassword),
        },
        closed,
      ),
      replies: { 200: User },
    },
    async handle(db, { params, body, env }, claim) {
      const { password, ...change } = body;
      const hash = password === undefined ? {} : { passwordHash: await passwordsOf(config).hash(password) };
      return commitReply(db, claim, { env, cipher, secret: true }, async (trx) => ({
        status: 200,
        body: await updateUser(trx, { id: params.id, ...change, ...hash }, env),
      }));
    },
  }),
];
