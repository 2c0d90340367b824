import { addActivity, removeActivity, WEIGHTS } from './trend.ts';

/** What somebody does with a post, by an address that it has or had. */
export type Action =
  | { kind: 'like' | 'unlike'; slug: string; userId: string }
  | { kind: 'view'; slug: string }
  | { kind: 'share'; slug: string; channel: string };

/** A public post with its counters as they are stored. */
export interface CountedPost {
  postId: string;
  likes: number;
  views: number;
  shares: number;
  trend: number;
}

/** The counter with this very action in it: what the request is answered. */
export type Counted = { liked: boolean; likeCount: number } | { viewCount: number } | { shareCount: number };

export type Outcome =
  | { is: 'counted'; counted: Counted }
  | { is: 'missing' }
  /** Another node committed a request with the same Idempotency-Key; nothing of this one was kept. */
  | { is: 'duplicate' };

/** A like that is stored: who, of what, and when, in milliseconds. */
export interface StoredLike {
  postId: string;
  userId: string;
  at: number;
}

/** What a batch changes. */
export interface Changes {
  /** New values of the counters, of posts that changed only. */
  counters: CountedPost[];
  added: { postId: string; userId: string }[];
  removed: { postId: string; userId: string }[];
  views: { postId: string; count: number }[];
  shares: { postId: string; channel: string; count: number }[];
}

const likeId = (like: { postId: string; userId: string }): string => `${like.postId} ${like.userId}`;

/**
 * Adds up a batch of actions in the order of their arrival. Pure: the posts and likes given are what is stored, and
 * must be locked until the changes are.
 */
export class Tally {
  readonly #bySlug: ReadonlyMap<string, CountedPost>;
  readonly #posts = new Map<string, CountedPost>();
  readonly #touched = new Set<string>();
  readonly #before: ReadonlyMap<string, StoredLike>;
  readonly #likes: Map<string, StoredLike>;
  readonly #views = new Map<string, { postId: string; count: number }>();
  readonly #shares = new Map<string, { postId: string; channel: string; count: number }>();
  readonly #now: number;

  /** `posts` by the addresses asked for; `likes` of the posts and users that the actions name. */
  constructor(posts: ReadonlyMap<string, CountedPost>, likes: readonly StoredLike[], now: Date) {
    this.#bySlug = posts;
    // One for all addresses of a post.
    for (const post of posts.values()) this.#posts.set(post.postId, { ...post });
    this.#before = new Map(likes.map((like) => [likeId(like), like]));
    this.#likes = new Map(this.#before);
    this.#now = now.getTime();
  }

  /** Does one more action. */
  count(action: Action): Outcome {
    const found = this.#bySlug.get(action.slug);
    if (!found) return { is: 'missing' };
    const post = this.#posts.get(found.postId) as CountedPost;
    switch (action.kind) {
      case 'like':
      case 'unlike':
        this.#like(post, action.userId, action.kind === 'like');
        return { is: 'counted', counted: { liked: action.kind === 'like', likeCount: post.likes } };
      case 'view':
        this.#add(this.#views, post.postId, { postId: post.postId });
        this.#change(post, { views: post.views + 1, trend: addActivity(post.trend, WEIGHTS.view, this.#now) });
        return { is: 'counted', counted: { viewCount: post.views } };
      case 'share':
        this.#add(this.#shares, `${post.postId} ${action.channel}`, { postId: post.postId, channel: action.channel });
        this.#change(post, { shares: post.shares + 1, trend: addActivity(post.trend, WEIGHTS.share, this.#now) });
        return { is: 'counted', counted: { shareCount: post.shares } };
    }
  }

  /** What all actions together change; a like that was given and taken back in the batch is none. */
  changes(): Changes {
    const gone = [...this.#before].filter(([id, like]) => this.#likes.get(id) !== like).map(([, like]) => like);
    const come = [...this.#likes].filter(([id, like]) => this.#before.get(id) !== like).map(([, like]) => like);
    return {
      counters: [...this.#touched].map((id) => this.#posts.get(id) as CountedPost),
      removed: gone,
      added: come,
      views: [...this.#views.values()],
      shares: [...this.#shares.values()],
    };
  }

  #like(post: CountedPost, userId: string, wanted: boolean): void {
    const id = likeId({ postId: post.postId, userId });
    const present = this.#likes.get(id);
    if ((present !== undefined) === wanted) return;
    if (present) {
      this.#likes.delete(id);
      const trend = removeActivity(post.trend, WEIGHTS.like, present.at);
      this.#change(post, { likes: post.likes - 1, trend });
    } else {
      this.#likes.set(id, { postId: post.postId, userId, at: this.#now });
      this.#change(post, { likes: post.likes + 1, trend: addActivity(post.trend, WEIGHTS.like, this.#now) });
    }
  }

  #change(post: CountedPost, to: Partial<CountedPost>): void {
    Object.assign(post, to);
    this.#touched.add(post.postId);
  }

  #add<T extends object>(sums: Map<string, T & { count: number }>, id: string, of: T): void {
    const sum = sums.get(id);
    if (sum) sum.count++;
    else sums.set(id, { ...of, count: 1 });
  }
}
