import { isForeignId } from '../../../contracts/events/index.ts';
import type { Db } from '../../../platform/db/index.ts';
import { findUser } from './store.ts';

/**
 * The id by which events name a user of this service: that of the marketplace, so that whoever counts by user counts one person
 * once. It is the subject at the outside identity provider, and our own for who has none, or one that no event can hold.
 */
export async function marketplaceId(db: Db, id: string): Promise<string> {
  const subject = (await findUser(db, id))?.external_subject ?? null;
  return subject !== null && isForeignId(subject) ? subject : id;
}
