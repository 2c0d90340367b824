/**
 * Builds a static site of the blog: a page for each post and one for all. Built again, it asks for what has changed since,
 * writes that, and removes what is public no more.
 *
 *     POSTHORN_URL=http://127.0.0.1:3000 POSTHORN_KEY=… OUT=site npm run static-blog -w examples
 *
 * The key needs the scope `blog:read`. With Next, `slugsChanged` is what `generateStaticParams` gives, and `postPage` the page.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createClient, PosthornError } from '@posthorn/client';
import { type Listed, listPage, postPage } from './pages.ts';

const { POSTHORN_URL = 'http://127.0.0.1:3000', POSTHORN_KEY, OUT: named = 'site', INIT_CWD = '.' } = process.env;
if (!POSTHORN_KEY) {
  console.error('POSTHORN_KEY is missing: an API key with the scope blog:read');
  process.exit(1);
}
/** From where the command was given: npm itself runs it in the folder of the examples. */
const OUT = resolve(INIT_CWD, named);
const posthorn = createClient({ baseUrl: POSTHORN_URL, credential: POSTHORN_KEY });

/** What the last build knew. */
interface State {
  asOf: string;
  posts: Record<string, Listed>;
}

const stateFile = join(OUT, '.posthorn.json');

/** Whole or not at all, whenever the process ends. */
async function write(path: string, text: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

async function readState(): Promise<State | null> {
  try {
    return JSON.parse(await readFile(stateFile, 'utf8')) as State;
  } catch {
    return null;
  }
}

const before = await readState();
const index = await posthorn.getIndex(before ? { since: before.asOf } : {});
const isWhole = before === null || index.full === true;
const slugsChanged = index.data.map(({ slug }) => slug);
const posts: Record<string, Listed> = isWhole ? {} : { ...before.posts };

for (const slug of slugsChanged) {
  try {
    const post = await posthorn.getPost({ slug });
    await write(join(OUT, slug, 'index.html'), postPage(post));
    const { title, excerpt, publishedAt } = post;
    posts[slug] = { slug, title, excerpt, publishedAt };
  } catch (error) {
    // Gone, or moved, since the index was read: the next build hears of it.
    if (!(error instanceof PosthornError) || !['NOT_FOUND', 'POST_MOVED'].includes(error.code)) throw error;
  }
}

for (const { slug } of index.removed ?? []) if (!slugsChanged.includes(slug)) delete posts[slug];
const gone = Object.keys(before?.posts ?? {}).filter((slug) => !(slug in posts));
for (const slug of gone) await rm(join(OUT, slug), { recursive: true, force: true });

await write(join(OUT, 'index.html'), listPage(Object.values(posts)));
// Last: a build that was cut off is done again.
await write(stateFile, JSON.stringify({ asOf: index.asOf, posts } satisfies State));
console.log(`${Object.keys(posts).length} posts in ${OUT}: ${slugsChanged.length} written, ${gone.length} removed`);
