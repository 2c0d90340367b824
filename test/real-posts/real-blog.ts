import type { ReadItem } from '../../src/cli/transfer/formats/fit.ts';
import { readMarkdown } from '../../src/cli/transfer/formats/read-markdown.ts';
import { type ReportedItem, sendPosts } from '../../src/cli/transfer/send-posts.ts';
import { findOrCreateAuthor } from '../../src/modules/accounts/index.ts';
import { importPosts, type Writer } from '../../src/modules/blog/index.ts';
import { keepUpOnce } from '../../src/modules/blog/search/upkeep.ts';
import { type Db, inTransaction } from '../../src/platform/db/index.ts';
import { unpackRealPosts } from '../helpers/real-posts.ts';
import { type SiteFixture, siteFixture } from '../helpers/site.ts';

/** How many posts became what. */
export interface Loaded {
  created: number;
  updated: number;
  unchanged: number;
  skipped: number;
  failed: number;
}

/** Of each item that was read, where it is from and what was noted. */
export interface Load {
  told: readonly ReportedItem[];
  totals: Loaded;
}

/** Brings items into a blog, as `posthorn import` does. */
export async function load(
  db: Db,
  items: AsyncIterable<ReadItem>,
  { writer, env }: { writer: Writer; env: RealBlog['env'] },
): Promise<Load> {
  const told: ReportedItem[] = [];
  const { created, updated, unchanged, skipped, failed } = await sendPosts(
    items,
    'f',
    (posts) => inTransaction(db, (trx) => importPosts(trx, { writer, posts }, env(), { findOrCreateAuthor })),
    { item: (item) => told.push(item) },
  );
  return { told, totals: { created, updated, unchanged, skipped, failed } };
}

export const readFolder = async (path: string): Promise<AsyncIterable<ReadItem>> =>
  (await readMarkdown(path, 'nodejs-blog')).items;

/** Who brings posts in: of a name only, as they are in any blog that takes them. */
export async function editorOf(db: Db, env: ReturnType<RealBlog['env']>): Promise<Writer> {
  const { id } = await inTransaction(db, (trx) => findOrCreateAuthor(trx, 'Editor', env));
  return { id, role: 'EDITOR' };
}

/** A service whose blog is the real one, ready to be searched. */
export interface RealBlog {
  site: SiteFixture;
  db: Db;
  env: () => { now: Date; newId: () => string; requestId: string };
  writer: Writer;
  /** The posts as files. */
  folder: string;
  /** What came of them. */
  first: Load;
}

/** Brings the real posts in. Takes tens of seconds: once for all that is tried on them. */
export async function realBlog(): Promise<RealBlog> {
  const site = await siteFixture();
  const { db, newId, clock } = site.service.service.opened.platform;
  const env = () => ({ now: new Date(clock.now()), newId, requestId: 'import' });
  const folder = await unpackRealPosts();
  const writer = await editorOf(db, env());
  const first = await load(db, await readFolder(folder), { writer, env });
  while (await keepUpOnce(db));
  return { site, db, env, writer, folder, first };
}
