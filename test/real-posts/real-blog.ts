import { readMarkdown } from '../../src/cli/transfer/formats/read-markdown.ts';
import { sendPosts } from '../../src/cli/transfer/send-posts.ts';
import { findOrCreateAuthor } from '../../src/modules/accounts/index.ts';
import { importPosts } from '../../src/modules/blog/index.ts';
import { keepUpOnce } from '../../src/modules/blog/search/upkeep.ts';
import { type Db, inTransaction } from '../../src/platform/db/index.ts';
import { unpackRealPosts } from '../helpers/real-posts.ts';
import { type SiteFixture, siteFixture } from '../helpers/site.ts';

/** A service whose blog is the real one, ready to be searched. */
export interface RealBlog {
  site: SiteFixture;
  db: Db;
  env: () => { now: Date; newId: () => string; requestId: string };
}

/** Brings the 1,050 real posts in. Takes tens of seconds: once for all that is tried on them. */
export async function realBlog(): Promise<RealBlog> {
  const site = await siteFixture();
  const { db, newId, clock } = site.service.service.opened.platform;
  const env = () => ({ now: new Date(clock.now()), newId, requestId: 'import' });
  const { items } = await readMarkdown(await unpackRealPosts(), 'nodejs-blog');
  const writer = { id: site.editor.id, role: 'EDITOR' } as const;
  await sendPosts(items, 'f', (posts) =>
    inTransaction(db, (trx) => importPosts(trx, { writer, posts }, env(), { findOrCreateAuthor })),
  );
  while (await keepUpOnce(db));
  return { site, db, env };
}
