import { isSlug } from '../../../lib/slug.ts';
import type { ImportItem } from '../../../modules/blog/index.ts';
import { withParagraphs } from './autop.ts';
import { Fit, MAX, oneLine, type ReadItem, storable } from './fit.ts';
import {
  bodyOf,
  dateOf,
  type ForeignOptions,
  type OpenFile,
  PostError,
  publicDate,
  type SeenSlugs,
  slugOf,
  titleOf,
} from './foreign-post.ts';
import { HtmlError, htmlToMarkdown } from './html-to-markdown.ts';
import { plainText } from './html-to-text.ts';
import type { OldList } from './old-lists.ts';
import { withoutShortcodes } from './shortcodes.ts';
import { footnotesOf, withPatterns } from './wordpress-blocks.ts';
import { commentsOf } from './wordpress-comments.ts';
import { childText, metaOf, slugOfItem, WordPressIndex } from './wordpress-index.ts';
import { type ChannelElement, channelElements, type XmlElement } from './xml-elements.ts';

interface Context extends ForeignOptions {
  index: WordPressIndex;
  seen: SeenSlugs;
}

/** Statuses of posts that are no draft for another reason than being one. */
const DRAFTS: Readonly<Record<string, string | null>> = {
  draft: null,
  'auto-draft': null,
  pending: 'waits for review',
  private: 'private',
};

function markdownOf(fit: Fit, item: XmlElement, { index }: Context): string {
  const content = storable(withPatterns(fit, childText(item, 'content:encoded'), index.patterns));
  const html = index.site.withPages(withParagraphs(withoutShortcodes(fit, content, index.attachments)), fit);
  const { markdown, notes } = htmlToMarkdown(html, footnotesOf(fit, item));
  for (const note of notes) fit.note(note);
  return bodyOf(markdown);
}

/** `0000-00-00 00:00:00` stands for none. Where only the site's own time is given, it is taken for UTC. */
function dateOfItem(fit: Fit, item: XmlElement, name: string): string | undefined {
  const none = (value: string): boolean => value === '' || value.startsWith('0000-');
  const gmt = childText(item, `wp:${name}_gmt`).trim();
  if (!none(gmt)) return dateOf(gmt, `wp:${name}_gmt`);
  const local = childText(item, `wp:${name}`).trim();
  if (none(local)) return undefined;
  fit.note(`no ${name} in UTC: the site's own time was taken for it`);
  return dateOf(local, `wp:${name}`);
}

function timesOf(fit: Fit, item: XmlElement, body: string) {
  const status = childText(item, 'wp:status').trim();
  const date = dateOfItem(fit, item, 'post_date');
  const updatedAt = dateOfItem(fit, item, 'post_modified');
  // The date of a post to come is not the one on which it was written.
  const createdAt = status === 'future' ? updatedAt : date;
  const times = { ...(createdAt ? { createdAt } : {}), ...(updatedAt ? { updatedAt } : {}) };
  if (['publish', 'future'].includes(status)) {
    if (childText(item, 'wp:post_password') === '') return { ...times, ...publicDate(fit, date, body) };
    fit.note('has a password: imported as a draft');
    return times;
  }
  const why = Object.hasOwn(DRAFTS, status) ? DRAFTS[status] : `status ${status || 'missing'}`;
  if (why) fit.note(`${why}: imported as a draft`);
  return times;
}

/** The first category is the post's, further ones are tags like the others. */
function taxonomyOf(fit: Fit, item: XmlElement, { category }: Context): Pick<ImportItem, 'category' | 'tags'> {
  const named = (domain: string): string[] =>
    item.children
      .filter((child) => child.name === 'category' && child.attributes['domain'] === domain)
      .flatMap((child) => oneLine(plainText(child.text)) ?? []);
  const [first = category, ...further] = named('category');
  return {
    category: fit.cut(first, MAX.category, 'category'),
    tags: fit.tags([...named('post_tag'), ...further]),
  };
}

function authorOf(fit: Fit, item: XmlElement, { index }: Context): Pick<ImportItem, 'author' | 'authorEmail'> {
  const login = oneLine(childText(item, 'dc:creator'));
  const author = login === undefined ? undefined : index.authors.get(login);
  return {
    ...fit.field('author', author?.name ?? login, MAX.author, 'author'),
    ...(author?.email === undefined ? {} : { authorEmail: author.email }),
  };
}

/** Titles of a plugin may hold variables (`%%title%%`) that nothing here fills in. */
function seoOf(fit: Fit, item: XmlElement): Pick<ImportItem, 'seoTitle' | 'seoDescription'> {
  const value = (name: string): string | undefined => {
    const written = metaOf(item, name)[0];
    if (!written?.includes('%%')) return written && plainText(written);
    fit.note('SEO text with variables left out');
    return undefined;
  };
  return {
    ...fit.field('seoTitle', value('_yoast_wpseo_title'), MAX.seoTitle, 'SEO title'),
    ...fit.field('seoDescription', value('_yoast_wpseo_metadesc'), MAX.seoDescription, 'SEO description'),
  };
}

/** Slugs of its past, but for those that are the present ones of other posts: they lead there. */
function oldSlugsOf(fit: Fit, item: XmlElement, { index }: Context, present: string | undefined) {
  const old = new Set(metaOf(item, '_wp_old_slug').map((slug) => slug.trim()));
  const oldSlugs = [...old].filter((slug) => isSlug(slug) && slug !== present);
  for (const slug of oldSlugs) if (index.slugs.has(slug)) fit.note(`old slug ${slug} left out: another post has it`);
  const free = oldSlugs.filter((slug) => !index.slugs.has(slug));
  return free.length > 0 ? { oldSlugs: free } : {};
}

function build(source: string, item: XmlElement, context: Context): ReadItem {
  const fit = new Fit();
  const body = markdownOf(fit, item, context);
  const thumbnail = metaOf(item, '_thumbnail_id')[0];
  const image = thumbnail === undefined ? undefined : context.index.attachments.get(thumbnail.trim());
  if (thumbnail !== undefined && image === undefined) fit.note('featured image left out: the file does not hold it');
  const slug = slugOf(fit, slugOfItem(item), context.seen);
  const times = timesOf(fit, item, body);
  const comments = commentsOf(fit, item, source);
  const post: ImportItem = {
    source,
    title: titleOf(fit, plainText(childText(item, 'title')), body),
    ...slug,
    body,
    ...taxonomyOf(fit, item, context),
    ...fit.field('excerpt', plainText(childText(item, 'excerpt:encoded')), MAX.excerpt, 'excerpt'),
    ...fit.image(image?.url, image?.alt),
    ...seoOf(fit, item),
    ...(childText(item, 'wp:is_sticky').trim() === '1' ? { featured: true } : {}),
    ...authorOf(fit, item, context),
    ...times,
    ...oldSlugsOf(fit, item, context, slug.slug),
    ...(comments.length > 0 ? { comments } : {}),
  };
  return { post, notes: fit.notes };
}

/** The item, or why not; undefined for attachments, which come with the posts that show them. */
function readItem(item: ChannelElement, context: Context): ReadItem | undefined {
  const type = childText(item, 'wp:post_type').trim();
  if (type === 'attachment') return undefined;
  const id = oneLine(childText(item, 'wp:post_id')) ?? oneLine(childText(item, 'guid'));
  const name = oneLine(childText(item, 'wp:post_name')) ?? oneLine(childText(item, 'title')) ?? id ?? 'an item';
  const source = `${context.name}/${id ?? name}`.slice(0, 500);
  const unsent = (outcome: 'skipped' | 'failed', reason: string): ReadItem => ({ source, outcome, reason });
  if (item.tooLarge) return unsent('failed', `${name}: larger than 16 million characters`);
  if (id === undefined) return unsent('failed', `${name}: has neither wp:post_id nor guid`);
  if (type === 'page') return unsent('skipped', `${name} is a page, and only posts are imported`);
  if (type !== 'post') return unsent('skipped', `${name} is of type ${type || 'unknown'}, and only posts are imported`);
  if (childText(item, 'wp:status').trim() === 'trash') return unsent('skipped', `${name} is in the trash`);
  try {
    return build(source, item, context);
  } catch (error) {
    if (error instanceof PostError || error instanceof HtmlError) {
      return unsent('failed', `${name}: ${error.message}`);
    }
    throw error;
  }
}

/**
 * The posts of a WordPress export (WXR 1.0 to 1.2), which holds names and titles as HTML (`R&amp;D`), too. The file is read twice, since an image may stand behind the post
 * that shows it: first authors and images, which stay in memory, then post by post. So a file that cannot be read to
 * its end is refused before anything is sent. Sources begin with the site's host unless `name` is given. Throws
 * UnreadableFile.
 */
export async function readWordPress(
  open: OpenFile,
  options: Omit<ForeignOptions, 'name'> & { name?: string | undefined },
): Promise<{ total: number; items: AsyncIterable<ReadItem>; lists: OldList[]; besides?: string }> {
  const index = await WordPressIndex.read(open);
  const context: Context = { ...options, name: options.name ?? index.host ?? 'wordpress', index, seen: new Set() };
  async function* items(): AsyncGenerator<ReadItem> {
    for await (const element of channelElements(open())) {
      const item = element.name === 'item' ? readItem(element, context) : undefined;
      if (item) yield item;
    }
  }
  const { items: total, attachments, lists } = index;
  const besides =
    attachments.size === 0 ? {} : { besides: `${attachments.size} attachment${attachments.size === 1 ? '' : 's'}` };
  return { total, items: items(), lists: lists.all(), ...besides };
}
