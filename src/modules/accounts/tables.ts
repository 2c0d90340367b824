import type { AccountType, BlogRole, Scope } from '../../contracts/caller.ts';
import type { Db } from '../../platform/db/index.ts';

/** Tables of migrations/0002-accounts.sql. */
export type AccountTables = {
  users: {
    id: string;
    email: string | null;
    name: string;
    password_hash: string | null;
    blog_role: BlogRole | null;
    operator: boolean;
    disabled_at: Date | null;
    external_issuer: string | null;
    external_subject: string | null;
    created_at: Date;
    updated_at: Date;
  };
  sessions: {
    id: string;
    user_id: string;
    token_hash: string;
    created_at: Date;
    expires_at: Date;
    revoked_at: Date | null;
  };
  accounts: { id: string; name: string; type: AccountType; created_at: Date };
  account_members: { account_id: string; user_id: string; created_at: Date };
  api_keys: {
    id: string;
    account_id: string;
    name: string;
    key_hash: string;
    key_hint: string;
    scopes: Scope[];
    secret_sealed: string;
    created_at: Date;
    expires_at: Date | null;
    revoked_at: Date | null;
    replaced_by: string | null;
    changed_in: number;
  };
};

/** The same connection or transaction, seeing the tables of this module. */
export const accountTables = (db: Db) => db.withTables<AccountTables>();
