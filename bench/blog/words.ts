import { formsOf } from '../../src/modules/blog/search/misspelling.ts';
import { vocabularyOf } from '../../src/modules/blog/search/document.ts';
import { isForReaders } from '../../src/modules/blog/search/upkeep.ts';
import type { PlannedPost } from './plan.ts';
import { NOTHING } from './row.ts';

interface BodyWords {
  /** Words of the excerpt that is made of it. */
  excerpt: Set<string>;
  words: string[];
  /** That have this body, and of these those for readers. */
  posts: number;
  shown: number;
}

/** The words of all posts with how many for readers have each in title, tags or excerpt, as upkeep learns them post by post. */
export class Vocabulary {
  readonly #used = new Map<string, number>();
  readonly #bodies: BodyWords[];

  constructor(bodies: readonly string[]) {
    this.#bodies = bodies.map((body) => {
      const { head, body: words } = vocabularyOf({ ...NOTHING, body });
      return { excerpt: new Set(head), words, posts: 0, shown: 0 };
    });
  }

  /** One more post, with this of the bodies. */
  add(post: PlannedPost): void {
    const body = this.#bodies[post.body] as BodyWords;
    const shown = isForReaders(post) ? 1 : 0;
    body.posts++;
    body.shown += shown;
    for (const word of vocabularyOf({ ...NOTHING, title: post.title, tags: post.tags }).head) {
      if (!body.excerpt.has(word)) this.#count(word, shown);
    }
  }

  #count(word: string, times: number): void {
    this.#used.set(word, (this.#used.get(word) ?? 0) + times);
  }

  list(): { word: string; used: number; near: string[] }[] {
    for (const { excerpt, words, posts, shown } of this.#bodies) {
      if (posts === 0) continue;
      for (const word of excerpt) this.#count(word, shown);
      for (const word of words) this.#count(word, 0);
    }
    return [...this.#used].map(([word, used]) => ({ word, used, near: this.#near(word) }));
  }

  #near = (word: string): string[] => (/^\p{L}{3,24}$/u.test(word) ? formsOf(word) : []);
}
