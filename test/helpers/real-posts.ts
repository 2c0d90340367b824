import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cleanup } from './cleanup.ts';

/** A real blog of 1,050 files; kept beside the repository, not in it. */
const ARCHIVE =
  process.env.TEST_POSTS_ARCHIVE ?? fileURLToPath(new URL('../../../shared/data/nodejs-blog.tar.gz', import.meta.url));

/** For tests of them. */
export const withRealPosts = {
  skip: existsSync(ARCHIVE) ? false : `optional: TEST_POSTS_ARCHIVE names no archive of posts, nor is there ${ARCHIVE}`,
} as const;

/** The folder of the posts, unpacked; removed after the test file. */
export async function unpackRealPosts(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-posts-'));
  cleanup(() => rm(folder, { recursive: true, force: true }));
  await promisify(execFile)('tar', ['-xzf', ARCHIVE, '-C', folder]);
  return join(folder, 'nodejs-blog');
}
