import type { BlogRole } from '../../../contracts/caller.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { recordChange } from '../../changes/index.ts';
import { userThing, userValues } from '../recorded.ts';
import type { User } from '../schemas.ts';
import { emailTaken, newUserRow, toUser } from './new-user.ts';
import { insertUser } from './store.ts';

export interface CreateUserInput {
  email: string;
  name: string;
  /** From `hashPassword`, which takes too long to be done inside a transaction. */
  passwordHash: string;
  blogRole?: BlogRole | null;
  operator?: boolean;
}

/** Stores a user who can sign in. VALIDATION_ERROR on `body.email` when the address is taken, in whatever case. */
export async function createUser(trx: Trx, input: CreateUserInput, env: Env): Promise<User> {
  const row = newUserRow(input, env);
  if (!(await insertUser(trx, row))) throw emailTaken();
  const change = { action: 'user.created', thing: userThing(row), accountId: null, after: userValues(row) } as const;
  await recordChange(trx, change, env);
  return toUser(row);
}
