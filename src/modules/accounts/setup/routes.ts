import { Type } from 'typebox';
import { type AnyRoute, batch, commitReply } from '../../../platform/http/index.ts';
import { passwordsOf } from '../passwords.ts';
import type { AccountsPlatform } from '../platform.ts';
import { Email, Name, OpenedSession } from '../schemas.ts';
import { checkSetup, setUpOperator } from './set-up-operator.ts';

/** As long as the setting POSTHORN_OPERATOR_PASSWORD has to be. */
const OperatorPassword = Type.String({ minLength: 12, maxLength: 200 });

/** `batch`, because a password is hashed: see commit-reply.ts. */
export const setupRoutes = ({ config, cipher }: AccountsPlatform): AnyRoute[] => [
  batch({
    method: 'POST',
    path: '/v1/auth/setup',
    operationId: 'setUpOperator',
    tag: 'Sign-in',
    summary: 'Become the first operator',
    description: 'With the one-time token that a service without operator prints when it starts. Signs in.',
    access: 'public',
    limit: 'signIn',
    secretReply: true,
    errors: ['UNAUTHENTICATED'],
    schemas: {
      body: Type.Object(
        { token: Type.String({ minLength: 1, maxLength: 200 }), email: Email, name: Name, password: OperatorPassword },
        { additionalProperties: false },
      ),
      replies: { 201: OpenedSession },
    },
    async handle(db, { body, env }, claim) {
      await checkSetup(db, body.token, env.now);
      const { password, ...operator } = body;
      const passwordHash = await passwordsOf(config).hash(password);
      return commitReply(db, claim, { env, cipher, secret: true }, async (trx) => ({
        status: 201,
        body: await setUpOperator(trx, { ...operator, passwordHash }, env, config.SESSION_SECONDS),
      }));
    },
  }),
];
