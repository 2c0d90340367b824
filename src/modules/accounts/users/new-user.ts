import type { BlogRole } from '../../../contracts/caller.ts';
import { invalid } from '../../../contracts/errors.ts';
import type { Env } from '../../../platform/db/index.ts';
import { normalEmail } from '../rules.ts';
import type { SessionUser, User } from '../schemas.ts';
import type { UserRow } from './store.ts';

export interface NewUser {
  name: string;
  email?: string | null;
  /** From `hashPassword`. */
  passwordHash?: string | null;
  blogRole?: BlogRole | null;
  operator?: boolean;
  external?: { issuer: string; subject: string };
}

export const newUserRow = (input: NewUser, env: Env): UserRow => ({
  id: env.newId(),
  email: typeof input.email === 'string' ? normalEmail(input.email) : null,
  name: input.name.trim(),
  password_hash: input.passwordHash ?? null,
  blog_role: input.blogRole ?? null,
  operator: input.operator ?? false,
  disabled_at: null,
  external_issuer: input.external?.issuer ?? null,
  external_subject: input.external?.subject ?? null,
  created_at: env.now,
  updated_at: env.now,
});

export const toSessionUser = (row: UserRow): SessionUser => ({
  id: row.id,
  name: row.name,
  email: row.email,
  blogRole: row.blog_role,
  operator: row.operator,
});

export const toUser = (row: UserRow): User => ({
  ...toSessionUser(row),
  disabled: row.disabled_at !== null,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

export const emailTaken = () => invalid({ path: 'body.email', message: 'belongs to another user already' });
