import { invalid } from '../../contracts/errors.ts';
import { isUuid } from '../../lib/ids.ts';

/** The id of the last item of the page before, from an opaque cursor; null: the first page. Throws VALIDATION_ERROR. */
export function idOfCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!isUuid(id)) throw invalid({ path: 'query.cursor', message: 'is not a cursor of this list' });
  return id;
}

/** The cursor of a page that ended with this id. */
export const cursorOfId = (id: string): string => Buffer.from(id).toString('base64url');

/** A page of a list in the order of ids, of rows of which one more than the limit was asked for. */
export function toCursorPage<Row extends { id: string }>(
  rows: readonly Row[],
  limit: number,
): { data: Row[]; nextCursor: string | null } {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, nextCursor: rows.length > limit && last ? cursorOfId(last.id) : null };
}
