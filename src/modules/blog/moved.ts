import { AppError } from '../../contracts/errors.ts';

/**
 * For an address that a post had before. A browser may keep a 301 for ever, and a post may take an old slug back: the two
 * would lead to each other. So it has to ask again each time.
 */
export const movedTo = (location: string): AppError =>
  new AppError('POST_MOVED', { headers: { location, 'cache-control': 'private, no-cache', vary: 'Authorization' } });
