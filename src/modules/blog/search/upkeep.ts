import { monotonicNow } from '../../../lib/clock.ts';
import { bumpVersion, type Db, inTransaction, type Trx } from '../../../platform/db/index.ts';
import type { Loop } from '../../../platform/loop/loop.ts';
import { RENDERER_VERSION } from '../rendering/render-with.ts';
import { renewRendering } from '../rendering/rendered-body.ts';
import { PUBLIC_POSTS_VERSION } from '../counts/counts.ts';
import type { Post } from '../post.ts';
import { findPost } from '../store.ts';
import { INDEX_VERSION, vocabularyOf } from './document.ts';
import { indexPost } from './index-post.ts';
import { formsOf } from './misspelling.ts';
import {
  addWords,
  askForOutdated,
  doneWith,
  indexVersionOf,
  knownOf,
  lockFreePosts,
  postsToKeepUp,
} from './upkeep-store.ts';

/** Posts per transaction: some milliseconds each. */
const POSTS = 10;
/** How long the words of a new post may take to be known to unfinished and misspelt queries. Milliseconds. */
const EVERY_MS = 2000;
/** How often is looked for what another version of the code has made, or a rendering that was given up, after the first time. Milliseconds. */
const OUTDATED_EVERY_MS = 30_000;

/** Words by how many of the posts at hand have them in their head. */
class Words {
  readonly #used = new Map<string, number>();

  add(words: readonly string[], used: 0 | 1): void {
    for (const word of words) this.#used.set(word, (this.#used.get(word) ?? 0) + used);
  }

  /** Counts them, and adds those that are new with what they may be mistaken for; how many these were. */
  async save(trx: Trx): Promise<number> {
    // Nearly all the words of a post are known, and forms are what takes the time.
    const known = await knownOf(trx, [...this.#used.keys()]);
    const near = (word: string): string[] => (!known.has(word) && /^\p{L}{3,24}$/u.test(word) ? formsOf(word) : []);
    return addWords(
      trx,
      [...this.#used].flatMap(([word, used]) =>
        known.has(word) && used === 0 ? [] : [{ word, used, near: near(word) }],
      ),
    );
  }
}

/** Readers see such a post, or will when its time comes. */
export const isForReaders = (post: Pick<Post, 'publishedAt' | 'archivedAt'>): boolean =>
  post.publishedAt !== null && post.archivedAt === null;

/**
 * Learns the words of these posts, and makes search documents of an older version anew. `changed` says that readers may
 * find or see something else now; `renewed` are posts whose rendering has changed.
 */
async function learn(
  db: Db,
  ids: readonly string[],
  renewed: ReadonlySet<string>,
): Promise<{ done: number; changed: boolean }> {
  return inTransaction(db, async (trx) => {
    const free = await lockFreePosts(trx, ids);
    const words = new Words();
    let [forReaders, changed] = [false, false];
    for (const id of free) {
      const post = await findPost(trx, id);
      if (!post) continue;
      // A node of a newer version writes documents that this one does not know to make.
      const outdated = ((await indexVersionOf(trx, id)) ?? 0) < INDEX_VERSION;
      if (outdated) await indexPost(trx, post);
      forReaders ||= isForReaders(post);
      changed ||= isForReaders(post) && (outdated || renewed.has(id));
      const { head, body } = vocabularyOf(post);
      // What readers do not see is for none of their searches: a draft is saved many times.
      words.add(head, isForReaders(post) ? 1 : 0);
      words.add(body, 0);
    }
    await doneWith(trx, free);
    const added = await words.save(trx);
    return { done: free.length, changed: changed || (forReaders && added > 0) };
  });
}

/** Databases whose readers have yet to be told that something changed. */
const untold = new WeakSet<Db>();
const begun = new WeakSet<Db>();

/** Has ready-made replies built anew, once for all that was done since the last time: each time, all of them go. */
async function tellReaders(db: Db): Promise<void> {
  if (!untold.delete(db)) return;
  await inTransaction(db, (trx) => bumpVersion(trx, PUBLIC_POSTS_VERSION));
}

/**
 * One portion of what is not done in the transaction of a change: words for unfinished and misspelt queries, renderings
 * that were not ready in time, and everything that an older version of the code made. False when nothing is left.
 * `looksForOutdated`: whether the last of these is looked for, asked when there is nothing else.
 */
export async function keepUpOnce(db: Db, looksForOutdated = () => true): Promise<boolean> {
  const ids = await postsToKeepUp(db, POSTS);
  // Work that a process before this one has begun: it may have ended without telling anyone.
  if (!begun.has(db) && ids.length === POSTS) untold.add(db);
  begun.add(db);
  if (ids.length === 0) {
    const versions = { htmlVersion: RENDERER_VERSION, indexVersion: INDEX_VERSION };
    const asked = looksForOutdated() ? await askForOutdated(db, { ...versions, most: 1000 }) : 0;
    if (asked === 0) await tellReaders(db);
    return asked > 0;
  }
  const renewed = new Set<string>();
  for (const id of ids) if (await renewRendering(db, id)) renewed.add(id);
  const { done, changed } = await learn(db, ids, renewed);
  if (changed) untold.add(db);
  if (ids.length < POSTS) await tellReaders(db);
  return done > 0;
}

/** Runs by itself on every node that does background work; two of them share the posts. */
export function upkeepLoop(db: Db): Loop {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    name: 'blog-upkeep',
    everyMs: EVERY_MS,
    async step() {
      let looks = false;
      const more = await keepUpOnce(db, () => (looks = monotonicNow() - lookedAt > OUTDATED_EVERY_MS));
      // Only then is nothing left of it: what was found is asked for, and more may be there once that is done.
      if (looks && !more) lookedAt = monotonicNow();
      return more;
    },
  };
}
