import type { Env, Trx } from '../../../platform/db/index.ts';
import { fittingName } from '../rules.ts';
import { newUserRow } from './new-user.ts';
import { findImportedAuthor, insertUser } from './store.ts';

/** Name of an author whose source names none. */
const NOBODY = 'Unknown author';

/**
 * The imported author of this name: a user without e-mail who cannot sign in. The name is trimmed and cut to 100
 * characters. Two imports at the same time get the same author.
 */
export async function findOrCreateAuthor(trx: Trx, name: string, env: Env): Promise<{ id: string; name: string }> {
  const fitting = fittingName(name) || NOBODY;
  const found = await findImportedAuthor(trx, fitting);
  if (found) return found;
  const row = newUserRow({ name: fitting }, env);
  if (await insertUser(trx, row)) return { id: row.id, name: row.name };
  const other = await findImportedAuthor(trx, fitting);
  if (!other) throw new Error('an author was neither inserted nor found');
  return other;
}
