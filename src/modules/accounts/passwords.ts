import { AppError } from '../../contracts/errors.ts';
import { GateFullError } from '../../lib/gate.ts';
import * as password from '../../lib/password.ts';

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
export const hashPassword = (text: string): Promise<string> => orUnavailable(password.hashPassword(text));

/** As in lib/password.ts; UNAVAILABLE when too many are waiting. Takes 80 ms: never call it inside a transaction. */
export const verifyPassword = (text: string, hash: string | null): Promise<boolean> =>
  orUnavailable(password.verifyPassword(text, hash));
