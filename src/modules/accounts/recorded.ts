import type { Values } from '../changes/index.ts';
import type { Account } from './schemas.ts';
import type { UserRow } from './users/store.ts';

/** An account, for the record of changes. */
export const accountThing = ({ id, name }: Pick<Account, 'id' | 'name'>) => ({ kind: 'ACCOUNT', id, name }) as const;

/** A user, by the name alone: the members of an account are not told each other's e-mail address. */
export const userThing = ({ id, name }: Pick<UserRow, 'id' | 'name'>) => ({ kind: 'USER', id, name }) as const;

/** What is recorded of a user. */
export const userValues = (user: UserRow): Values => ({
  name: user.name,
  email: user.email,
  blogRole: user.blog_role,
  operator: user.operator,
});
