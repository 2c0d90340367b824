import type { AccountType } from '../../../contracts/caller.ts';
import { isUuid } from '../../../lib/ids.ts';
import type { Db } from '../../../platform/db/index.ts';
import { findAccountTypes } from './store.ts';

/** 100,000 of them are about 10 MB. */
const REMEMBERED = 100_000;

export interface AccountLookup {
  /** Those of the ids that are not accounts. */
  missingAccounts(db: Db, ids: readonly string[] | ReadonlySet<string>): Promise<string[]>;
  /** Null when there is no such account. */
  accountType(db: Db, id: string): Promise<AccountType | null>;
}

/**
 * Whether accounts exist, and of which type. What was found is remembered: accounts are never removed and never change
 * their type. What was not found is asked for every time, since it may be created at any moment.
 */
export function accountLookup(): AccountLookup {
  const known = new Map<string, AccountType>();

  async function find(db: Db, ids: readonly string[]): Promise<Map<string, AccountType>> {
    const found = await findAccountTypes(db, ids.filter(isUuid));
    // What a transaction sees of itself may still be rolled back.
    if (!db.isTransaction) {
      if (known.size + found.size > REMEMBERED) known.clear();
      for (const [id, type] of found) known.set(id, type);
    }
    return found;
  }
  return {
    async missingAccounts(db, ids) {
      let asked: Set<string> | undefined;
      for (const id of ids) if (!known.has(id.toLowerCase())) (asked ??= new Set()).add(id);
      if (!asked) return [];
      const found = await find(db, [...asked]);
      return [...asked].filter((id) => !found.has(id.toLowerCase()));
    },
    async accountType(db, id) {
      const key = id.toLowerCase();
      return known.get(key) ?? (await find(db, [key])).get(key) ?? null;
    },
  };
}
