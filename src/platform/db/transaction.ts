import type { Db, Trx } from './types.ts';

type Hook = () => void | Promise<void>;

const hooks = new WeakMap<Trx, Hook[]>();

/**
 * Runs `fn` in one transaction and returns its result after the commit; a throw rolls back and is passed on. Then, in
 * order, what `afterCommit` was given, and waits for it. Isolation is READ COMMITTED: rules over several rows take row locks.
 */
export async function inTransaction<T>(db: Db, fn: (trx: Trx) => Promise<T>): Promise<T> {
  let after: Hook[] = [];
  const result = await db.transaction().execute(async (trx) => {
    const value = await fn(trx);
    after = hooks.get(trx) ?? [];
    return value;
  });
  await Promise.all(after.map(async (hook) => hook()));
  return result;
}

/**
 * Calls `fn` once this transaction has committed, never if it rolls back. For things that are lost in a crash without
 * harm: waking a reader (it polls too), dropping a cache entry (its version is checked too). A promise that it returns is waited for before the transaction's
 * result is given; it must not reject, since what it follows has happened.
 */
export function afterCommit(trx: Trx, fn: Hook): void {
  const list = hooks.get(trx);
  if (list) list.push(fn);
  else hooks.set(trx, [fn]);
}
