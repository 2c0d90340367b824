import { bumpVersion, type Db, inTransaction } from '../../../platform/db/index.ts';
import type { Loop } from '../../../platform/loop/loop.ts';
import { RENDERER_VERSION } from '../rendering/render.ts';
import { renewRendering } from '../rendering/rendered-body.ts';
import { PUBLIC_POSTS_VERSION } from '../counts/counts.ts';
import { findPost } from '../store.ts';
import { INDEX_VERSION, vocabularyOf } from './document.ts';
import { indexPost } from './index-post.ts';
import { formsOf } from './misspelling.ts';
import { addWords, askForOutdated, doneWith, indexVersionOf, lockFreePosts, postsToKeepUp } from './upkeep-store.ts';

/** Posts per transaction: some milliseconds each. */
const POSTS = 10;
/** How long the words of a new post may take to be known to unfinished and misspelt queries. Milliseconds. */
const EVERY_MS = 2000;

class Words {
  readonly #words = new Map<string, { used: number; near: readonly string[] }>();

  add(words: readonly string[], used: 0 | 1): void {
    for (const word of words) {
      const known = this.#words.get(word);
      if (known) known.used += used;
      else this.#words.set(word, { used, near: /^\p{L}{3,24}$/u.test(word) ? formsOf(word) : [] });
    }
  }

  list(): { word: string; used: number; near: readonly string[] }[] {
    return [...this.#words].map(([word, rest]) => ({ word, ...rest }));
  }
}

/** Learns the words of these posts, and makes search documents of an older version anew. */
async function learn(db: Db, ids: readonly string[]): Promise<number> {
  return inTransaction(db, async (trx) => {
    const free = await lockFreePosts(trx, ids);
    const words = new Words();
    for (const id of free) {
      const post = await findPost(trx, id);
      if (!post) continue;
      if ((await indexVersionOf(trx, id)) !== INDEX_VERSION) await indexPost(trx, post);
      const { head, body } = vocabularyOf(post);
      words.add(head, 1);
      words.add(body, 0);
    }
    await doneWith(trx, free);
    await addWords(trx, words.list());
    // What was found for a word, or shown of a post, may be another now.
    if (free.length > 0) await bumpVersion(trx, PUBLIC_POSTS_VERSION);
    return free.length;
  });
}

/**
 * One portion of what is not done in the transaction of a change: words for unfinished and misspelt queries, renderings
 * that were not ready in time, and everything that an older version of the code made. False when nothing is left.
 */
export async function keepUpOnce(db: Db): Promise<boolean> {
  const ids = await postsToKeepUp(db, POSTS);
  if (ids.length === 0) {
    const versions = { htmlVersion: RENDERER_VERSION, indexVersion: INDEX_VERSION };
    return (await askForOutdated(db, { ...versions, most: 1000 })) > 0;
  }
  for (const id of ids) await renewRendering(db, id);
  return (await learn(db, ids)) > 0;
}

/** Runs by itself on every node that does background work; two of them share the posts. */
export const upkeepLoop = (db: Db): Loop => ({
  name: 'blog-upkeep',
  everyMs: EVERY_MS,
  step: () => keepUpOnce(db),
});
