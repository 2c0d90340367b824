import type { Static } from 'typebox';
import type { SessionCaller } from '../../../contracts/caller.ts';
import { type Db, type Env, inTransaction, type Trx } from '../../../platform/db/index.ts';
import { bodyCheck } from '../../../platform/http/index.ts';
import { passwordsOf } from '../passwords.ts';
import type { AccountsPlatform } from '../platform.ts';
import { type OpenedSession, SignInBody, SignUpBody } from '../schemas.ts';
import { signIn, verifySignIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';
import { checkSignUpOpen, signUp } from './sign-up.ts';

/** Fields as a form gives them: any text, or nothing. */
type Given<T> = { [K in keyof T]: string | undefined };

/** Sign-up, sign-in and sign-out from the forms of pages: the same rules and errors as over the API. */
export interface Readers {
  /** Throws VALIDATION_ERROR, FORBIDDEN (no sign-ups are taken), UNAVAILABLE. */
  signUp(db: Db, given: Given<Static<typeof SignUpBody>>, env: Env): Promise<OpenedSession>;
  /** Throws VALIDATION_ERROR, UNAUTHENTICATED, UNAVAILABLE. */
  signIn(db: Db, given: Given<Static<typeof SignInBody>>, env: Env): Promise<OpenedSession>;
  signOut(trx: Trx, caller: SessionCaller, env: Env): Promise<void>;
}

export function createReaders({ config }: Pick<AccountsPlatform, 'config'>): Readers {
  const passwords = passwordsOf(config);
  const [checkSignUp, checkSignIn] = [bodyCheck(SignUpBody), bodyCheck(SignInBody)];
  return {
    async signUp(db, given, env) {
      checkSignUpOpen(config.POSTHORN_SIGN_UP);
      checkSignUp(given);
      const { password, ...user } = given as Static<typeof SignUpBody>;
      // Outside of the transaction: it takes 80 ms.
      const passwordHash = await passwords.hash(password);
      return inTransaction(db, (trx) => signUp(trx, { ...user, passwordHash }, env, config.SESSION_SECONDS));
    },
    async signIn(db, given, env) {
      checkSignIn(given);
      const user = await verifySignIn(db, given as Static<typeof SignInBody>, passwords);
      return inTransaction(db, (trx) => signIn(trx, user, env, config.SESSION_SECONDS));
    },
    signOut,
  };
}
