import { isUuid, spellingsOf } from '../../../lib/ids.ts';
import type { Db } from '../../../platform/db/index.ts';
import { findExternalUser, findUser } from './store.ts';

export interface MailRecipient {
  userId: string;
  name: string;
  email: string;
}

/**
 * Who gets e-mail for a user whom the marketplace knows by this id: ours, or the subject at the identity provider of the
 * settings. Null for nobody, a disabled user, and one without an address.
 */
export async function findMailRecipient(
  db: Db,
  marketplaceId: string,
  issuer: string | undefined,
): Promise<MailRecipient | null> {
  const own = isUuid(marketplaceId) ? await findUser(db, marketplaceId) : undefined;
  const user =
    own ?? (issuer === undefined ? undefined : await findExternalUser(db, issuer, ...spellingsOf(marketplaceId)));
  if (!user || user.disabled_at !== null || user.email === null) return null;
  return { userId: user.id, name: user.name, email: user.email };
}
