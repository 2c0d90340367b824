import { foldCase } from '../../../lib/fold-case.ts';
import { bumpVersion, type Trx } from '../../../platform/db/index.ts';
import type { Post } from '../post.ts';
import { addCounts, type CountChange } from './store.ts';

/** What of a post is counted. */
export type Counted = Pick<Post, 'publishedAt' | 'archivedAt' | 'category' | 'tags' | 'featured' | 'authorId'>;

/** Version topic of all that the public reads show of posts, counters aside (platform/db/change-versions.ts). */
export const PUBLIC_POSTS_VERSION = 'public-posts';

type Facet = Omit<CountChange, 'delta'>;

/** What readers do not see is counted in all and per author, for writers. */
const hidden = (kind: 'draft' | 'archived', post: Counted): Facet[] => [
  { kind, key: '', name: '' },
  { kind, key: post.authorId, name: '' },
];

function facetsOf(post: Counted | null): Facet[] {
  if (post === null) return [];
  if (post.publishedAt === null) return hidden('draft', post);
  if (post.archivedAt !== null) return hidden('archived', post);
  return [
    { kind: 'all', key: '', name: '' },
    { kind: 'author', key: post.authorId, name: '' },
    ...(post.featured ? [{ kind: 'featured', key: '', name: '' } as const] : []),
    ...(post.category === null
      ? []
      : [{ kind: 'category', key: foldCase(post.category), name: post.category } as const]),
    ...post.tags.map((tag) => ({ kind: 'tag', key: foldCase(tag), name: tag }) as const),
  ];
}

/** Gathers what a transaction does to the counts, so that it writes each count once. */
export class CountChanges {
  readonly #changes = new Map<string, CountChange>();
  #touchesPublic = false;

  /** A post that is public or will be was, or became, part of this. */
  get touchesPublic(): boolean {
    return this.#touchesPublic;
  }

  /** A post went from one form to another; null: it was not there before, or is not there any more. */
  move(before: Counted | null, after: Counted | null): void {
    const [from, to] = [facetsOf(before), facetsOf(after)];
    this.#touchesPublic ||= [...from, ...to].some((facet) => facet.kind === 'all');
    for (const facet of from) this.#add(facet, -1);
    for (const facet of to) this.#add(facet, 1);
  }

  #add(facet: Facet, delta: number): void {
    const id = `${facet.kind}\n${facet.key}`;
    const known = this.#changes.get(id) ?? { ...facet, delta: 0 };
    this.#changes.set(id, { ...known, delta: known.delta + delta });
  }

  /** What is left to write, in one order for every transaction: two of them never wait for each other in a circle. */
  list(): CountChange[] {
    return [...this.#changes]
      .filter(([, change]) => change.delta !== 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, change]) => change);
  }
}

/**
 * Runs a change of posts and writes what it does to the counts at its end, and that public reads have changed. Late on purpose: the counts are the rows
 * that every publication writes, so they are locked for as short as possible, and after all locks on posts and slugs.
 */
export async function withCounts<T>(trx: Trx, change: (counts: CountChanges) => Promise<T>): Promise<T> {
  const counts = new CountChanges();
  const result = await change(counts);
  await addCounts(trx, counts.list());
  if (counts.touchesPublic) await bumpVersion(trx, PUBLIC_POSTS_VERSION);
  return result;
}
