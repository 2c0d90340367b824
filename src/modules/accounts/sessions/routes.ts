import { type TSchema, Type } from 'typebox';
import {
  type AnyRoute,
  batch,
  clearedCookie,
  commitReply,
  isSecure,
  read,
  type Reply,
  sessionCookie,
  sessionTokenOf,
  write,
} from '../../../platform/http/index.ts';
import { passwordsOf } from '../passwords.ts';
import type { AccountsPlatform } from '../platform.ts';
import {
  Account,
  BrowserSession,
  GivenPassword,
  NewPassword,
  OpenedSession,
  SessionUser,
  SignInBody,
  SignUpBody,
} from '../schemas.ts';
import { changePassword, preparePassword } from './change-password.ts';
import { getMe } from './get-me.ts';
import { signIn, verifySignIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';
import { checkSignUpOpen, signUp } from './sign-up.ts';

const tag = 'Sign-in';
const closed = { additionalProperties: false };

/** A way to sign in; `told` says how the caller gets the session. */
const signInRoute = (
  { config, cipher }: Pick<AccountsPlatform, 'config' | 'cipher'>,
  named: Pick<AnyRoute, 'path' | 'operationId' | 'summary' | 'description'>,
  schema: TSchema,
  told: (opened: OpenedSession) => Reply,
): AnyRoute =>
  batch({
    ...named,
    method: 'POST',
    tag,
    access: 'public',
    limit: 'signIn',
    secretReply: true,
    errors: ['UNAUTHENTICATED'],
    schemas: { body: SignInBody, replies: { 200: schema } },
    async handle(db, { body, env }, claim) {
      const user = await verifySignIn(db, body, passwordsOf(config));
      return commitReply(db, claim, { env, cipher, secret: true }, async (trx) =>
        told(await signIn(trx, user, env, config.SESSION_SECONDS)),
      );
    },
  });

/** `batch`, where a password is hashed: see commit-reply.ts. */
export const sessionRoutes = ({ config, cipher }: AccountsPlatform): AnyRoute[] => [
  batch({
    method: 'POST',
    path: '/v1/auth/sign-up',
    operationId: 'signUp',
    tag,
    summary: 'Sign up as a reader',
    description: 'Creates a user without any role and signs in.',
    access: 'public',
    limit: 'signIn',
    secretReply: true,
    errors: ['FORBIDDEN'],
    schemas: {
      body: SignUpBody,
      replies: { 201: OpenedSession },
    },
    async handle(db, { body, env }, claim) {
      checkSignUpOpen(config.POSTHORN_SIGN_UP);
      const passwordHash = await passwordsOf(config).hash(body.password);
      return commitReply(db, claim, { env, cipher, secret: true }, async (trx) => ({
        status: 201,
        body: await signUp(trx, { ...body, passwordHash }, env, config.SESSION_SECONDS),
      }));
    },
  }),
  signInRoute(
    { config, cipher },
    { path: '/v1/auth/sign-in', operationId: 'signIn', summary: 'Sign in with e-mail and password' },
    OpenedSession,
    (opened) => ({ status: 200, body: opened }),
  ),
  signInRoute(
    { config, cipher },
    {
      path: '/v1/auth/browser-session',
      operationId: 'openBrowserSession',
      summary: 'Sign in from a page of this service',
      description: 'As `signIn`, but the access token comes in a cookie that no script can read, and not in the body.',
    },
    BrowserSession,
    ({ accessToken, ...session }) => {
      const cookie = sessionCookie(accessToken, config.SESSION_SECONDS, isSecure(config.POSTHORN_PUBLIC_URL));
      return { status: 200, body: session, headers: { 'set-cookie': cookie } };
    },
  ),
  write({
    method: 'POST',
    path: '/v1/auth/sign-out',
    operationId: 'signOut',
    tag,
    summary: 'End this session',
    access: 'session',
    schemas: { replies: { 204: null } },
    async handle(trx, { caller, env, headers }) {
      await signOut(trx, caller, env);
      const secure = isSecure(config.POSTHORN_PUBLIC_URL);
      if (sessionTokenOf(headers, secure) === null) return { status: 204 };
      return { status: 204, headers: { 'set-cookie': clearedCookie(secure) } };
    },
  }),
  read({
    method: 'GET',
    path: '/v1/auth/me',
    operationId: 'getMe',
    tag,
    summary: 'Who is signed in, and for which accounts',
    access: 'session',
    schemas: { replies: { 200: Type.Object({ user: SessionUser, accounts: Type.Array(Account) }) } },
    handle: async (db, { caller }) => ({ status: 200, body: await getMe(db, caller) }),
  }),
  batch({
    method: 'POST',
    path: '/v1/auth/password',
    operationId: 'changePassword',
    tag,
    summary: 'Change one’s password',
    description:
      'Ends all other sessions of the user. 400 when `newPassword` is the current one or blank, or when `currentPassword` is not the current one.',
    access: 'session',
    limit: 'signIn',
    errors: ['INVALID_STATE'],
    schemas: {
      body: Type.Object({ currentPassword: GivenPassword, newPassword: NewPassword }, closed),
      replies: { 204: null },
    },
    async handle(db, { body, caller, env }, claim) {
      const password = await preparePassword(db, caller, body, passwordsOf(config));
      return commitReply(db, claim, { env, cipher, secret: true }, async (trx) => {
        await changePassword(trx, caller, password, env);
        return { status: 204 };
      });
    },
  }),
];
