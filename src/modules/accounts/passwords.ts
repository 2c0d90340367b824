import { AppError } from '../../contracts/errors.ts';
import { GateFullError } from '../../lib/gate.ts';
import * as password from '../../lib/password.ts';
import type { Config } from '../../platform/config/index.ts';

async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof GateFullError)) throw error;
    const headers = { 'retry-after': '5' };
    throw new AppError('UNAVAILABLE', { message: 'Too many sign-ins are waiting.', headers, cause: error });
  }
}

/** As in lib/password.ts; UNAVAILABLE when too many are waiting. Takes 80 ms: never call it inside a transaction. */
export interface Passwords {
  hash(text: string): Promise<string>;
  verify(text: string, hash: string | null): Promise<boolean>;
}

/** Passwords at the cost of the settings. */
export const passwordsOf = ({ PASSWORD_HASH_COST: ln }: Pick<Config, 'PASSWORD_HASH_COST'>): Passwords => ({
  hash: (text) => orUnavailable(password.hashPassword(text, ln)),
  verify: (text, hash) => orUnavailable(password.verifyPassword(text, hash, ln)),
});
