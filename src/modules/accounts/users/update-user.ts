import type { BlogRole } from '../../../contracts/caller.ts';
import { AppError, invalid } from '../../../contracts/errors.ts';
import { bumpVersion, type Env, type Trx, uniqueViolation } from '../../../platform/db/index.ts';
import { checkOperatorChange, normalEmail, type OperatorState } from '../rules.ts';
import type { User } from '../schemas.ts';
import { revokeSessions } from '../sessions/store.ts';
import { emailTaken, toUser } from './new-user.ts';
import { recordUserChange } from './record-user-change.ts';
import { lockOperators, lockUser, updateUserRow, type UserRow } from './store.ts';

/** Version topic of the names of users, which others show (platform/db/change-versions.ts). */
export const USER_NAMES_VERSION = 'user-names';

export interface UpdateUserInput {
  id: string;
  name?: string;
  /** In any case. */
  email?: string;
  blogRole?: BlogRole | null;
  operator?: boolean;
  disabled?: boolean;
  /** From `hashPassword`. */
  passwordHash?: string;
}

const stateOf = (user: UserRow): OperatorState => ({
  operator: user.operator,
  disabled: user.disabled_at !== null,
  canSignIn: user.password_hash !== null || user.external_subject !== null,
});

function changed(user: UserRow, input: UpdateUserInput, now: Date): UserRow {
  const disabledAt =
    input.disabled === undefined ? user.disabled_at : input.disabled ? (user.disabled_at ?? now) : null;
  return {
    ...user,
    name: input.name?.trim() ?? user.name,
    email: input.email === undefined ? user.email : normalEmail(input.email),
    blog_role: input.blogRole === undefined ? user.blog_role : input.blogRole,
    operator: input.operator ?? user.operator,
    disabled_at: disabledAt,
    password_hash: input.passwordHash ?? user.password_hash,
    updated_at: now,
  };
}

/**
 * Changes a user. Roles are read with every request, so the change acts on the next one, on every node; disabling and
 * a new password end all sessions of the user. NOT_FOUND; VALIDATION_ERROR for the e-mail address of another; INVALID_STATE when
 * no operator would be left, and for the address of a user of the identity provider, whose it is.
 */
export async function updateUser(trx: Trx, input: UpdateUserInput, env: Env): Promise<User> {
  // Before the user itself, so that two changes take the operators' rows in the same order.
  const operators = await lockOperators(trx);
  const before = await lockUser(trx, input.id);
  if (!before) throw new AppError('NOT_FOUND');
  if (input.email !== undefined && before.external_subject !== null) {
    throw new AppError('INVALID_STATE', {
      message: 'The e-mail address of this user is that of the identity provider.',
    });
  }
  const after = changed(before, input, env.now);
  if (input.passwordHash !== undefined && after.email === null) {
    throw new AppError('INVALID_STATE', { message: 'This user has no e-mail address to sign in with.' });
  }
  const others = operators.filter((id) => id !== before.id).length;
  checkOperatorChange(stateOf(before), stateOf(after), others);
  const { id, created_at: _, ...columns } = after;
  try {
    await updateUserRow(trx, id, columns);
  } catch (error) {
    const violated = uniqueViolation(error);
    if (violated === 'users_email') throw emailTaken();
    if (violated !== 'users_imported_name') throw error;
    throw invalid({ path: 'body.name', message: 'belongs to another imported author already' });
  }
  if (input.passwordHash !== undefined || (after.disabled_at && !before.disabled_at)) {
    await revokeSessions(trx, id, env.now);
  }
  await recordUserChange(trx, before, after, env);
  if (after.name !== before.name) await bumpVersion(trx, USER_NAMES_VERSION);
  return toUser(after);
}
