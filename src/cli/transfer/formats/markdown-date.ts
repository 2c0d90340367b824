import { cutText } from '../../../lib/markdown-text.ts';
import { oneLine } from './fit.ts';
import { datedName, isIn, type Place } from './markdown-place.ts';
import { eachOf, flagOf, type Reader, saysDraft } from './markdown-reader.ts';

/** From when on Hugo shows a post no more. */
const ENDS = ['expirydate', 'unpublishdate'];

/** What says who may read a post, and the values of it that mean everybody. */
const READERS = ['status', 'post_status', 'visibility'];
const EVERYBODY = /^publi(?:c|sh|shed)$/i;

/** What keeps a post out of lists, and of sight where it does: nobody is led to it. */
const UNSEEN = ['private', 'hidden', 'unlisted', 'headless'];

/** Whether Hugo makes no page of it, or lists it nowhere (`build: {list: never, render: never}`, `_build` before 0.145). */
function isUnbuilt(build: unknown): boolean {
  if (!(build instanceof Map)) return false;
  return ['render', 'list'].some((name) => ![undefined, null, true, 'true', 'always'].includes(build.get(name)));
}

/** Why not everybody could read it where it comes from, or only for a time. */
function heldBack(reader: Reader, at: string): string | undefined {
  const isUnpublished = ['published', 'publish'].some((name) =>
    eachOf(reader.value(name)).some((value) => flagOf(value) === false),
  );
  if (isIn('_drafts', at) || saysDraft(reader.value('draft')) || isUnpublished) return 'a draft';
  if ((reader.value('password') ?? false) !== false) return 'has a password: imported as a draft';
  const unseen = UNSEEN.find((name) => saysDraft(reader.value(name)));
  if (unseen !== undefined) return `${unseen}: imported as a draft`;
  // Eleventy writes no page without an address.
  if (reader.value('permalink') === false || isUnbuilt(reader.value('build')) || isUnbuilt(reader.value('_build')))
    return 'no page was made of it: imported as a draft';
  for (const name of READERS) {
    const value = reader.value(name);
    if (value === undefined) continue;
    const texts = eachOf(value).map((one) => oneLine(one) ?? '');
    if (!texts.every((text) => EVERYBODY.test(text)))
      return `${name} ${cutText(texts.join(', '), 60)}: imported as a draft`;
  }
  return reader.hasDate(...ENDS) ? 'is not shown for ever: imported as a draft' : undefined;
}

/** When everybody could read it first; undefined, with a note, for a draft. */
export function publishedAtOf(reader: Reader, { path, at }: Place): string | undefined {
  const why = heldBack(reader, at);
  if (why !== undefined) {
    reader.note(why);
    return undefined;
  }
  // Of two dates the one from which on it is shown counts (`publishDate` of Hugo), not that which is shown with it.
  const shownFrom = ['publishdate', 'publish_date', 'publishedat', 'published_at', 'pubdate'];
  const date = reader.date(...shownFrom, 'date') ?? datedName(path).date;
  if (date === undefined) reader.note('no date: imported as a draft');
  return date;
}
