import { oneLine, owned, UnreadableFile } from './fit.ts';
import type { OpenFile } from './foreign-post.ts';
import { plainText } from './html-to-text.ts';
import { type OldList, OldLists } from './old-lists.ts';
import { OldSite } from './old-site.ts';
import { type ChannelElement, channelElements, type XmlElement } from './xml-elements.ts';

export interface Attachment {
  url: string | undefined;
  alt: string | undefined;
}

/** The text of the first child of this name. */
export const childText = (element: XmlElement, name: string): string =>
  element.children.find((child) => child.name === name)?.text ?? '';

/** The values of a custom field, of which an item may have several. */
export const metaOf = (item: XmlElement, name: string): string[] =>
  item.children
    .filter((child) => child.name === 'wp:postmeta' && childText(child, 'wp:meta_key') === name)
    .map((child) => childText(child, 'wp:meta_value'));

/** A slug as it was written; those that are not Latin are percent-encoded in the file. */
function writtenSlug(slug: string): string {
  try {
    return decodeURIComponent(slug.trim());
  } catch {
    return slug.trim();
  }
}

/** The slug of a post, as it was written. */
export const slugOfItem = (item: XmlElement): string => writtenSlug(childText(item, 'wp:post_name'));

/** What a post is filed under; formats and the taxonomies of plugins are left out. */
const LISTS: Readonly<Record<string, OldList['list']>> = { category: 'category', post_tag: 'tag' };

/** Whether the item is a post that is imported. */
const isPost = (item: XmlElement): boolean =>
  childText(item, 'wp:post_type').trim() === 'post' && childText(item, 'wp:status').trim() !== 'trash';

/** Whether everybody could read it. */
const isPublic = (item: XmlElement): boolean =>
  childText(item, 'wp:status').trim() === 'publish' && childText(item, 'wp:post_password') === '';

/** Whether the item is a pattern that WordPress shows: it shows none with a password. */
const isPattern = (item: XmlElement): boolean =>
  childText(item, 'wp:post_type').trim() === 'wp_block' && isPublic(item);

function kept(value: string | undefined): string | undefined {
  const text = oneLine(value);
  return text === undefined ? undefined : owned(text);
}

/** What posts of a WordPress export refer to: authors, images and patterns, wherever they stand in the file. */
export class WordPressIndex {
  /** Items besides attachments. */
  items = 0;
  /** Host of the site that was exported, where it is named. */
  host: string | undefined;
  readonly site = new OldSite();
  readonly lists = new OldLists();
  /** Present slugs of its posts: an old slug that is one of them does not lead to where it led any more. */
  readonly slugs = new Set<string>();
  readonly attachments = new Map<string, Attachment>();
  /** Contents of synced patterns. */
  readonly patterns = new Map<string, string>();
  readonly authors = new Map<string, { name: string | undefined; email: string | undefined }>();

  #addPost(item: XmlElement): void {
    const slug = slugOfItem(item);
    this.slugs.add(owned(slug));
    const addresses = [childText(item, 'link'), `/?p=${childText(item, 'wp:post_id').trim()}`];
    this.site.add(slug, isPublic(item) ? addresses : []);
    if (!isPublic(item)) return;
    for (const { name: element, text, attributes } of item.children) {
      const list = element === 'category' ? LISTS[attributes['domain'] ?? ''] : undefined;
      const name = oneLine(plainText(text));
      if (list && name !== undefined) this.lists.add({ list, name, slug: writtenSlug(attributes['nicename'] ?? '') });
    }
  }

  #add(element: ChannelElement): void {
    if (element.name === 'item') {
      if (isPost(element)) this.#addPost(element);
      if (isPattern(element)) {
        this.patterns.set(owned(childText(element, 'wp:post_id').trim()), owned(childText(element, 'content:encoded')));
      }
      if (childText(element, 'wp:post_type') !== 'attachment') this.items++;
      else {
        this.attachments.set(owned(childText(element, 'wp:post_id')), {
          url: kept(childText(element, 'wp:attachment_url')),
          alt: kept(plainText(metaOf(element, '_wp_attachment_image_alt')[0] ?? '')),
        });
      }
    } else if (element.name === 'wp:author') {
      const login = kept(childText(element, 'wp:author_login'));
      const name = kept(plainText(childText(element, 'wp:author_display_name'))) ?? login;
      if (login !== undefined) this.authors.set(login, { name, email: kept(childText(element, 'wp:author_email')) });
    } else if (['wp:base_blog_url', 'link'].includes(element.name) && URL.canParse(element.text.trim())) {
      this.host = new URL(element.text.trim()).host || this.host;
      this.site.address = element.text;
    }
  }

  /** Reads the whole file once. Throws UnreadableFile, also for a feed that is no export. */
  static async read(open: OpenFile): Promise<WordPressIndex> {
    const index = new WordPressIndex();
    let isExport = false;
    for await (const element of channelElements(open())) {
      isExport ||= element.name.startsWith('wp:') || element.children.some((child) => child.name === 'wp:post_type');
      index.#add(element);
    }
    if (!isExport) throw new UnreadableFile('a feed, but no export of WordPress (WXR): its items have no wp:post_type');
    return index;
  }
}
