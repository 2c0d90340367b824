import { invalid } from '../../contracts/errors.ts';

/** Cursors are opaque: a position in the log. */
export const encodePosition = (position: number): string => Buffer.from(`p${position}`).toString('base64url');

/** Throws VALIDATION_ERROR for what `encodePosition` has not made. */
export function decodePosition(cursor: string): number {
  const match = /^p(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match) throw invalid({ path: 'query.cursor', message: 'is not a cursor of this list' });
  return Number(match[1]);
}
