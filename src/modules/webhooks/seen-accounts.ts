import type { Caller } from '../../contracts/caller.ts';

export interface SeenDeps {
  visibleAccounts(caller: Caller): 'all' | readonly string[];
  /** The account that was asked for, if the caller may act for it; throws FORBIDDEN or NOT_FOUND. */
  actingAccount(caller: Caller, requested?: string): string;
}

/** The accounts of which a list tells: the one that was asked for (FORBIDDEN, NOT_FOUND), or all that the caller may see. */
export const seenAccounts = (
  deps: SeenDeps,
  caller: Caller,
  accountId: string | undefined,
): 'all' | readonly string[] =>
  accountId === undefined ? deps.visibleAccounts(caller) : [deps.actingAccount(caller, accountId)];
