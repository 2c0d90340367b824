import { readLooseDate } from '../../../lib/loose-date.ts';
import { isIn, nameOf, type Place } from './markdown-place.ts';
import { flagOf, type Reader, saysDraft } from './markdown-reader.ts';

/** From when on Hugo shows a post no more. */
const ENDS = ['expirydate', 'unpublishdate'];

export function publishedAtOf(reader: Reader, { path, at }: Place): string | undefined {
  if (isIn('_drafts', at) || saysDraft(reader.value('draft')) || flagOf(reader.value('published')) === false) {
    reader.note('a draft');
    return undefined;
  }
  // Of two dates the one from which on it is shown counts (`publishDate` of Hugo), not that which is shown with it.
  const shownFrom = ['publishdate', 'publish_date', 'publishedat', 'published_at', 'pubdate'];
  if (reader.value(...ENDS) !== undefined) {
    reader.note('is not shown for ever: imported as a draft');
    return undefined;
  }
  const inName = /^\d{4}-\d{2}-\d{2}(?=-)/.exec(nameOf(path))?.[0];
  const date = reader.date(...shownFrom, 'date') ?? readLooseDate(inName ?? '');
  if (date === undefined) reader.note('no date: imported as a draft');
  return date;
}
