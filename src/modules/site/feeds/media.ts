import { type Markup, markup } from '../../../lib/markup.ts';
import type { PostSummary } from '../../blog/index.ts';

/** Media RSS (https://www.rssboard.org/media-rss), which readers know in RSS and in Atom. */
export const MEDIA = 'http://search.yahoo.com/mrss/';

/** The cover image of a post, for readers that show one beside it; false: there is none. */
export const cover = ({ coverImageUrl, coverImageAlt }: PostSummary): Markup | false =>
  coverImageUrl !== null &&
  markup`<media:content url="${coverImageUrl}" medium="image">${coverImageAlt !== null && coverImageAlt !== '' && markup`<media:description type="plain">${coverImageAlt}</media:description>`}</media:content>`;
