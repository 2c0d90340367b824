import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { glob, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cleanup } from './cleanup.ts';
import { isSpread, spread } from './spread.ts';

/** A real blog of 1,050 files; kept beside the repository, not in it. */
const ARCHIVE =
  process.env.TEST_POSTS_ARCHIVE ?? fileURLToPath(new URL('../../../shared/data/nodejs-blog.tar.gz', import.meta.url));

/** On PGlite beside PostgreSQL every twentieth of them, in the order of their paths, and those that a test names. */
const EVERY = 20;
const NAMED = ['index.md', 'release/v0.10.10.md', 'release/v18.17.0.md', 'uncategorized/10-lts-to-12-lts.md'];

/** How many are looked at; the archive is always the same. */
export const REAL_POSTS = isSpread ? 57 : 1050;
/** For names of tests. */
export const POSTS_IN_WORDS = isSpread ? `${REAL_POSTS} of 1,050 real posts` : '1,050 real posts';

/** For tests of them. */
export const withRealPosts = {
  skip: existsSync(ARCHIVE) ? false : `optional: TEST_POSTS_ARCHIVE names no archive of posts, nor is there ${ARCHIVE}`,
} as const;

/** The folder of the posts that are looked at, unpacked; removed after the test file. */
export async function unpackRealPosts(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-posts-'));
  cleanup(() => rm(folder, { recursive: true, force: true }));
  await promisify(execFile)('tar', ['-xzf', ARCHIVE, '-C', folder]);
  const blog = join(folder, 'nodejs-blog');
  const all = (await Array.fromAsync(glob('**/*.{md,mdx}', { cwd: blog }))).toSorted();
  const kept = new Set([...spread(all, EVERY), ...NAMED]);
  await Promise.all(all.filter((path) => !kept.has(path)).map((path) => rm(join(blog, path))));
  return blog;
}
