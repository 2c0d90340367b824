/** Which posts there are, of whom, when, and what readers did with them: the same at every run. */
import { slugify } from '../../src/lib/slug.ts';
import type { Material } from './material.ts';

const DAY = 24 * 3600 * 1000;
const YEARS = 15 * 365 * DAY;
export const CATEGORIES = ['Releases', 'Guides', 'News', 'Security', 'Community', 'Performance', 'Events', 'Opinion'];
export const AUTHORS = Array.from({ length: 20 }, (_, i) => `Author Number${i + 1}`);
export const READERS = 100;

/** Numbers of [0, 1), the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A UUID version 7 of this time, the same for the same `n`; those of one `kind` do not meet those of another. */
export function idAt(ms: number, kind: number, n: number): string {
  const time = Math.floor(ms).toString(16).padStart(12, '0');
  const tail = (kind * 2 ** 32 + n).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${tail}`;
}
export const KIND = { post: 0, user: 1, comment: 2 } as const;

/** Of `of` things the n-th is wanted 1/n as often as the first (Zipf's law), as words and tags are. */
const zipf = (random: number, of: number): number => Math.min(of - 1, Math.floor((of + 1) ** random) - 1);

export interface PlannedPost {
  id: string;
  slug: string;
  title: string;
  /** Number of its body in the material. */
  body: number;
  category: string;
  tags: string[];
  /** Number of its author in AUTHORS. */
  author: number;
  featured: boolean;
  publishedAt: Date | null;
  archivedAt: Date | null;
  firstPublicAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  changedAt: Date;
}

export interface PlannedComment {
  id: string;
  post: PlannedPost;
  /** Number of its author among the readers. */
  reader: number;
  /** It answers this one. */
  parent: PlannedComment | null;
  body: string;
  at: Date;
}

export interface PlannedActivity {
  post: PlannedPost;
  likes: { reader: number; at: Date }[];
  views: { at: Date; count: number }[];
}

export interface Sizes {
  posts: number;
  /** The newest so many public posts have comments, likes and views. */
  engaged: number;
  /** The newest of all has so many comments. */
  hotComments: number;
}

export class BlogPlan {
  readonly material: Material;
  readonly sizes: Sizes;
  readonly now: number;

  constructor(material: Material, sizes: Sizes, now: number) {
    this.material = material;
    this.sizes = sizes;
    this.now = now;
  }

  #title(n: number, random: () => number): string {
    const { openings, endings } = this.material;
    const a = n % openings.length;
    const title = `${openings[a]} ${endings[(Math.floor(n / openings.length) + 7 * a) % endings.length]}`;
    const part = (most: number): number => Math.floor(random() * most);
    return random() < 0.2 ? `${title} ${part(24)}.${part(30)}.${part(20)}` : title;
  }

  #tags(random: () => number): string[] {
    const { tags } = this.material;
    const wanted = 2 + Math.floor(random() * 4);
    const chosen = new Set<string>();
    for (let i = 0; i < wanted; i++) chosen.add(tags[zipf(random(), tags.length)] as string);
    return [...chosen];
  }

  /** 2 % drafts, 1 % archived, the last few scheduled for the coming two months, the rest public, over 15 years. */
  #times(n: number, random: () => number) {
    const { posts } = this.sizes;
    const scheduled = Math.min(200, Math.max(2, Math.floor(posts / 200)));
    const createdAt = Math.floor(this.now - YEARS + ((YEARS - DAY) * (n + random())) / posts);
    const left = posts - n;
    const kind = random();
    const plannedAt = this.now + DAY + ((scheduled - left) * 60 * DAY) / scheduled;
    const publishedAt = Math.floor(left <= scheduled ? plannedAt : createdAt + (random() * DAY) / 2);
    if (left > scheduled && kind < 0.02) {
      return { publishedAt: null, archivedAt: null, firstPublicAt: null, createdAt, changedAt: createdAt };
    }
    const archivedAt = left > scheduled && kind < 0.03 ? publishedAt + 3600_000 : null;
    const changedAt = archivedAt ?? (publishedAt <= this.now ? publishedAt : createdAt);
    return { publishedAt, archivedAt, firstPublicAt: publishedAt, createdAt, changedAt };
  }

  /** Post `n`, oldest first. */
  post(n: number): PlannedPost {
    const random = numbers(n);
    const title = this.#title(n, random);
    const times = this.#times(n, random);
    const date = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
    return {
      id: idAt(times.createdAt, KIND.post, n),
      slug: `${slugify(title)}-${n}`,
      title,
      body: Math.floor(random() * this.material.bodies.length),
      category: CATEGORIES[zipf(random(), CATEGORIES.length)] as string,
      tags: this.#tags(random),
      author: zipf(random(), AUTHORS.length),
      featured: random() < 0.03,
      publishedAt: date(times.publishedAt),
      archivedAt: date(times.archivedAt),
      firstPublicAt: date(times.firstPublicAt),
      createdAt: new Date(times.createdAt),
      updatedAt: new Date(Math.min(times.publishedAt ?? times.createdAt, times.changedAt)),
      changedAt: new Date(times.changedAt),
    };
  }

  *posts(): Generator<PlannedPost> {
    for (let n = 0; n < this.sizes.posts; n++) yield this.post(n);
  }

  /** The public posts that readers do something with, newest first. */
  engaged(): PlannedPost[] {
    const found: PlannedPost[] = [];
    for (let n = this.sizes.posts - 1; n >= 0 && found.length < this.sizes.engaged; n--) {
      const post = this.post(n);
      const isPublic = post.archivedAt === null && post.publishedAt !== null && post.publishedAt.getTime() <= this.now;
      if (isPublic) found.push(post);
    }
    return found;
  }

  /** Three comments on each engaged post, two of them a thread; on the newest, threads of five. Parents first. */
  *comments(): Generator<PlannedComment> {
    const { sentences } = this.material;
    let n = 0;
    for (const [i, post] of this.engaged().entries()) {
      const [count, thread] = i === 0 ? [this.sizes.hotComments, 5] : [3, 2];
      let top: PlannedComment | null = null;
      for (let c = 0; c < count; c++, n++) {
        const at = new Date((post.publishedAt as Date).getTime() + (c + 1) * 1000);
        const parent: PlannedComment | null = c % thread === 0 ? null : top;
        const body = `${sentences[n % sentences.length]} (${n})`;
        const comment: PlannedComment = {
          id: idAt(at.getTime(), KIND.comment, n),
          post,
          reader: n % READERS,
          parent,
          body,
          at,
        };
        top = parent === null ? comment : top;
        yield comment;
      }
    }
  }

  *activities(): Generator<PlannedActivity> {
    for (const [i, post] of this.engaged().entries()) {
      const random = numbers(-1 - i);
      const start = (post.publishedAt as Date).getTime();
      const likes = Array.from({ length: Math.floor(random() * 9) }, (_, l) => ({
        reader: (i * 7 + l) % READERS,
        at: new Date(start + (l + 1) * 60_000),
      }));
      const views = [0, 1, 2].map((day) => ({ at: new Date(start + day * DAY), count: 1 + Math.floor(random() * 4) }));
      yield { post, likes, views: views.filter(({ at }) => at.getTime() <= this.now) };
    }
  }
}
