import { type Markup, markup } from '../../../lib/markup.ts';
import type { PostSummary } from '../../blog/index.ts';

/** Media RSS (https://www.rssboard.org/media-rss), which readers know in RSS and in Atom. */
export const MEDIA = 'http://search.yahoo.com/mrss/';

/**
 * The cover image of a post, for readers that show one beside it; false: there is none. Without its words: there are readers that take
 * what stands in a `content` of whatever namespace for the HTML of the post.
 */
export const cover = ({ coverImageUrl }: PostSummary): Markup | false =>
  coverImageUrl !== null && markup`<media:content url="${coverImageUrl}" medium="image"/>`;
