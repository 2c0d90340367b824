import { AppError, invalid } from '../../../contracts/errors.ts';
import { isUuid } from '../../../lib/ids.ts';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { getEvent } from '../../events/index.ts';

/** A place in the log of one account. */
export interface Place {
  /** Event up to which all is read; null: the beginning. */
  eventId: string | null;
  position: number;
  /** Webhooks of the event behind it that are read as well: an event may cause two. */
  webhooks: number;
}

/** What a cursor says: behind this event, or (`webhooks` above 0) behind so many of its webhooks. Null: the beginning. */
interface Mark {
  eventId: string;
  webhooks: number;
}

/**
 * Cursors are opaque. They name an event of the account and no position, which would tell how much others publish; so they
 * outlive a restore of the database too, as far as the event does.
 */
export const encodeCursor = (mark: Mark | null): string =>
  Buffer.from(mark === null ? 'start' : `${mark.eventId} ${mark.webhooks}`).toString('base64url');

const unknown = (path: string): AppError => invalid({ path, message: 'is not a cursor of this feed' });

function decode(cursor: string, path: string): Mark | null {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (text === 'start') return null;
  const [eventId = '', webhooks = '', more] = text.split(' ');
  if (more !== undefined || !isUuid(eventId) || !/^\d$/.test(webhooks)) throw unknown(path);
  return { eventId, webhooks: Number(webhooks) };
}

/** Where a cursor stands in the log of the account; `path` is where it was given. Throws VALIDATION_ERROR. */
export async function placeOf(db: Db | Trx, cursor: string, accountId: string, path: string): Promise<Place> {
  const mark = decode(cursor, path);
  if (mark === null) return { eventId: null, position: 0, webhooks: 0 };
  const event = await getEvent(db, mark.eventId, [accountId]).catch((error: unknown) => {
    // One of somebody else is as good as none.
    throw error instanceof AppError && error.code === 'NOT_FOUND' ? unknown(path) : error;
  });
  const { eventId, webhooks } = mark;
  return webhooks === 0
    ? { eventId, position: event.position, webhooks }
    : { eventId, position: event.position - 1, webhooks };
}
