import type { ImportItem } from '../../../modules/blog/index.ts';
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
import { commentsOf } from './ghost-comments.ts';
import { fileOf, placed } from './ghost-places.ts';
import { GhostIndex, type GhostRelations, isPage } from './ghost-index.ts';
import { HtmlError, htmlToMarkdown } from './html-to-markdown.ts';
import { jsonRows, type Row } from './json-rows.ts';
import type { OldList } from './old-lists.ts';
import type { OldSite } from './old-site.ts';

interface Context extends ForeignOptions {
  old: OldSite;
  seen: SeenSlugs;
}

/** Fields that Posthorn has no place for, and what they are called in the report. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  canonical_url: 'canonical address',
  codeinjection_head: 'injected code',
  codeinjection_foot: 'injected code',
  feature_image_caption: 'caption of the image',
  og_title: 'Open Graph title',
  og_description: 'Open Graph description',
  og_image: 'Open Graph image',
  twitter_title: 'title for X',
  twitter_description: 'description for X',
  twitter_image: 'image for X',
};

/** What an editor's document holds when it shows something: texts of either kind, those of mobiledoc without a name, and files and pages. */
const SHOWS = /"(?:text|html|markdown|src|url)":\s*"[^"]|\[0,\s*\[[\d,\s]*\],\s*\d+,\s*"[^"]/;

const text = (row: Row | undefined, name: string): string | undefined => {
  const value = row?.[name];
  return typeof value === 'string' && value.trim() !== '' ? storable(value) : undefined;
};

function markdownOf(fit: Fit, post: Row, { site, old }: Context): string {
  const html = text(post, 'html');
  if (html !== undefined) {
    const { markdown, notes } = htmlToMarkdown(old.withPages(placed(fit, html, site), fit));
    for (const note of notes) fit.note(note);
    return bodyOf(markdown);
  }
  const plain = text(post, 'plaintext');
  if (plain !== undefined) {
    fit.note('no HTML: the text without markup was taken');
    return bodyOf(plain);
  }
  const empty = ['lexical', 'mobiledoc'].every((name) => !SHOWS.test(text(post, name) ?? ''));
  if (!empty) throw new PostError('its text is in lexical or mobiledoc only, without the HTML that exports carry');
  return '';
}

function publishedAtOf(fit: Fit, post: Row, body: string): Pick<ImportItem, 'publishedAt'> {
  const status = oneLine(post['status']) ?? 'draft';
  const visibility = oneLine(post['visibility']) ?? 'public';
  if (status === 'draft') return {};
  if (!['published', 'scheduled'].includes(status)) {
    fit.note(status === 'sent' ? 'sent by e-mail only: imported as a draft' : `status ${status}: imported as a draft`);
    return {};
  }
  if (visibility !== 'public') {
    fit.note(`for ${visibility} only: imported as a draft`);
    return {};
  }
  return publicDate(fit, dateOf(post['published_at'], 'published_at'), body);
}

function authorOf(fit: Fit, { authors }: GhostRelations): Pick<ImportItem, 'author' | 'authorEmail'> {
  const [author, ...others] = authors;
  if (others.length > 0) fit.note(`further authors left out: ${others.map((a) => a.name ?? a.email).join(', ')}`);
  return {
    ...fit.field('author', author?.name, MAX.author, 'author'),
    ...(author?.email === undefined ? {} : { authorEmail: author.email }),
  };
}

function build(source: string, post: Row, relations: GhostRelations, context: Context) {
  const fit = new Fit();
  const { meta, tags } = relations;
  const either = (name: string): string | undefined => text(meta, name) ?? text(post, name);
  const body = markdownOf(fit, post, context);
  const image = either('feature_image');
  for (const [name, what] of Object.entries(LEFT_OUT)) if (either(name) !== undefined) fit.note(`${what} left out`);
  const createdAt = dateOf(post['created_at'], 'created_at');
  const updatedAt = dateOf(post['updated_at'], 'updated_at');
  const comments = commentsOf(fit, relations.comments, source);
  const item: ImportItem = {
    source,
    title: titleOf(fit, post['title'], body),
    ...slugOf(fit, post['slug'], context.seen),
    body,
    category: fit.cut(tags[0] ?? context.category, MAX.category, 'category'),
    tags: fit.tags(tags),
    ...fit.field('excerpt', post['custom_excerpt'], MAX.excerpt, 'excerpt'),
    ...fit.image(image && fileOf(fit, image, context.site), oneLine(either('feature_image_alt'))),
    ...fit.field('seoTitle', either('meta_title'), MAX.seoTitle, 'SEO title'),
    ...fit.field('seoDescription', either('meta_description'), MAX.seoDescription, 'SEO description'),
    ...([true, 1].includes(post['featured'] as boolean) ? { featured: true } : {}),
    ...authorOf(fit, relations),
    ...publishedAtOf(fit, post, body),
    ...(createdAt ? { createdAt } : {}),
    ...(updatedAt ? { updatedAt } : {}),
    ...(comments.length > 0 ? { comments } : {}),
  };
  return { post: item, notes: fit.notes };
}

function readPost(post: Row, index: GhostIndex, context: Context): ReadItem {
  const id = oneLine(post['uuid']) ?? oneLine(post['id']) ?? oneLine(post['slug']);
  if (id === undefined) {
    return { source: context.name, outcome: 'failed', reason: 'a post without uuid, id and slug' };
  }
  const source = `${context.name}/${id}`.slice(0, 500);
  const name = oneLine(post['slug']) ?? id;
  if (isPage(post)) return { source, outcome: 'skipped', reason: `${name} is a page, and only posts are imported` };
  try {
    return build(source, post, index.relationsOf(post), context);
  } catch (error) {
    if (error instanceof PostError || error instanceof HtmlError) {
      return { source, outcome: 'failed', reason: `${name}: ${error.message}` };
    }
    throw error;
  }
}

/**
 * The posts of a Ghost export (JSON of versions 1 to 6). The file is read twice, since what belongs to a post stands
 * behind it: first tags, users and their links, which stay in memory, then post by post. So a file that cannot be read
 * to its end is refused before anything is sent. Throws UnreadableFile.
 */
export async function readGhost(
  open: OpenFile,
  options: ForeignOptions,
): Promise<{ total: number; items: AsyncIterable<ReadItem>; lists: OldList[] }> {
  const site = options.site?.replace(/\/+$/, '');
  const index = await GhostIndex.read(open, site);
  const context: Context = { ...options, site, old: index.site, seen: new Set() };
  async function* items(): AsyncGenerator<ReadItem> {
    for await (const { row } of jsonRows(open(), new Set(['posts']))) {
      if (row !== null) yield readPost(row, index, context);
      else yield { source: options.name, outcome: 'failed', reason: 'a post is larger than 16 million characters' };
    }
  }
  return { total: index.posts, items: items(), lists: index.lists() };
}
