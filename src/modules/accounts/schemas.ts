import { type Static, Type } from 'typebox';
import { SCOPES, type Scope } from '../../contracts/caller.ts';
import { DateTime, Nullable, Uuid } from '../../platform/http/index.ts';
import { MEMBER_SCOPES, type MemberScope, NOT_IN_NAMES } from './rules.ts';

/** Limits of this module, said in README.md and in OpenAPI. */
export const Email = Type.String({ format: 'email', minLength: 3, maxLength: 254, description: 'Case is ignored.' });
/** At least one character that is not a space, and none of NOT_IN_NAMES. */
export const Name = Type.String({ minLength: 1, maxLength: 100, pattern: `^(?=[^]*\\S)[^${NOT_IN_NAMES}]*$` });
/** At least one character that is not a space. Halves of characters are all hashed alike. */
export const NewPassword = Type.String({ minLength: 8, maxLength: 200, pattern: '^(?=[^]*\\S)[^\\ud800-\\udfff]*$' });
/** A password that is only compared: no lower bound, so that a short one is simply wrong. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: 200 });

export const BlogRoleSchema = Type.Enum(['AUTHOR', 'EDITOR']);
export const AccountTypeSchema = Type.Enum(['MERCHANT', 'BUSINESS', 'SITE', 'PLATFORM']);
export const ScopeSchema = Type.Enum([...SCOPES]);
/** `type` beside `enum`: without it, Ajv looks for doubles by comparing each pair. */
const GivenScope = Type.Unsafe<Scope>({ type: 'string', enum: [...SCOPES] });
export const Scopes = Type.Array(GivenScope, { minItems: 1, maxItems: SCOPES.length, uniqueItems: true });
const GivenMemberScope = Type.Unsafe<MemberScope>({ type: 'string', enum: [...MEMBER_SCOPES] });
export const MemberScopes = Type.Array(GivenMemberScope, {
  minItems: 1,
  maxItems: MEMBER_SCOPES.length,
  uniqueItems: true,
  description: 'Keys that publish events or administer are given by operators.',
});

/** A user as the user sees it. */
export const SessionUser = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    email: Nullable(Type.String()),
    blogRole: Nullable(BlogRoleSchema),
    operator: Type.Boolean(),
  },
  { title: 'SessionUser' },
);
export type SessionUser = Static<typeof SessionUser>;

/** A user as operators see it. `email` is null for an author brought in by an import. */
export const User = Type.Object(
  {
    ...SessionUser.properties,
    disabled: Type.Boolean(),
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { title: 'User' },
);
export type User = Static<typeof User>;

export const Account = Type.Object({ id: Uuid, name: Type.String(), type: AccountTypeSchema }, { title: 'Account' });
export type Account = Static<typeof Account>;

export const UserDetail = Type.Object({ ...User.properties, accounts: Type.Array(Account) });

const closed = { additionalProperties: false };
export const SignUpBody = Type.Object({ email: Email, name: Name, password: NewPassword }, closed);
export const SignInBody = Type.Object({ email: Email, password: GivenPassword }, closed);

/** Reply of sign-in and sign-up. */
export const OpenedSession = Type.Object(
  { accessToken: Type.String(), expiresAt: DateTime, user: SessionUser },
  { title: 'OpenedSession' },
);
export type OpenedSession = Static<typeof OpenedSession>;

/** Reply of a sign-in whose access token is in a cookie. */
export const BrowserSession = Type.Object({ expiresAt: DateTime, user: SessionUser }, { title: 'BrowserSession' });

/** Reply that shows a key and its signing secret: the only time that they are shown. */
export const IssuedApiKey = Type.Object(
  {
    id: Uuid,
    accountId: Uuid,
    name: Type.String(),
    key: Type.String(),
    signingSecret: Type.String(),
    scopes: Type.Array(ScopeSchema),
  },
  { title: 'IssuedApiKey' },
);
export type IssuedApiKey = Static<typeof IssuedApiKey>;

export const ApiKey = Type.Object(
  {
    id: Uuid,
    accountId: Uuid,
    accountName: Type.String(),
    name: Type.String(),
    hint: Type.String({ description: 'The first characters of the key.' }),
    scopes: Type.Array(ScopeSchema),
    createdAt: DateTime,
    expiresAt: Nullable(DateTime),
    revokedAt: Nullable(DateTime),
  },
  { title: 'ApiKey' },
);
export type ApiKey = Static<typeof ApiKey>;
