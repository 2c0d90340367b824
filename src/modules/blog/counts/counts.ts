import { foldCase } from '../../../lib/fold-case.ts';
import { bumpVersion, type Env, type Trx } from '../../../platform/db/index.ts';
import { type AddressChange, noteChanges } from '../addresses/store.ts';
import type { Post } from '../post.ts';
import { stateOf } from '../rules.ts';
import { type Pair, pairsOf } from './pairs.ts';
import { addCounts, addPairs, type CountChange } from './store.ts';

/** What of a post is counted. */
export type Counted = Pick<Post, 'slug' | 'publishedAt' | 'archivedAt' | 'category' | 'tags' | 'featured' | 'authorId'>;

/** Version topic of all that the public reads show of posts, counters aside (platform/db/change-versions.ts). */
export const PUBLIC_POSTS_VERSION = 'public-posts';

type Facet = Omit<CountChange, 'delta'>;

/** What readers do not see is counted in all and per author, for writers. */
const hidden = (kind: 'draft' | 'archived', post: Counted): Facet[] => [
  { kind, key: '', name: '' },
  { kind, key: post.authorId, name: '' },
];

/** A category or tag is counted whatever its case, and by spelling. */
const named = (kind: 'category' | 'tag', name: string): Facet[] => [
  { kind, key: foldCase(name), name },
  { kind: `${kind}_as`, key: name, name: foldCase(name) },
];

function facetsOf(post: Counted | null): Facet[] {
  if (post === null) return [];
  if (post.publishedAt === null) return hidden('draft', post);
  if (post.archivedAt !== null) return hidden('archived', post);
  return [
    { kind: 'all', key: '', name: '' },
    { kind: 'month', key: post.publishedAt.toISOString().slice(0, 'YYYY-MM'.length), name: '' },
    { kind: 'author', key: post.authorId, name: '' },
    ...(post.featured ? [{ kind: 'featured', key: '', name: '' } as const] : []),
    ...(post.category === null ? [] : named('category', post.category)),
    ...post.tags.flatMap((tag) => named('tag', tag)),
  ];
}

/** The address at which readers see a post at this time, or null. */
const publicAddress = (post: Counted | null, now: Date): string | null =>
  post !== null && stateOf(post, now) === 'PUBLISHED' ? post.slug : null;

/** The same for one at which they will. */
const listedAddress = (post: Counted | null): string | null =>
  post !== null && post.publishedAt !== null && post.archivedAt === null ? post.slug : null;

/** Gathers what a transaction does to the counts and to the addresses of posts, so that it writes each once. */
export class CountChanges {
  readonly #now: Date;
  readonly #changes = new Map<string, CountChange>();
  readonly #pairs = new Map<string, Pair & { delta: number }>();
  /** Whether a public post left it, by slug. */
  readonly #addresses = new Map<string, boolean>();
  #touchesPublic = false;

  constructor(now: Date) {
    this.#now = now;
  }

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
    this.#addPairs(before, -1);
    this.#addPairs(after, 1);
    const [wasAt, isAt] = [publicAddress(before, this.#now), publicAddress(after, this.#now)];
    const listedAt = listedAddress(after);
    if (listedAt !== null) this.#addresses.set(listedAt, this.#addresses.get(listedAt) ?? false);
    if (wasAt !== null) this.#addresses.set(wasAt, this.#addresses.get(wasAt) || wasAt !== isAt);
  }

  #add(facet: Facet, delta: number): void {
    const id = `${facet.kind}\n${facet.key}`;
    const known = this.#changes.get(id) ?? { ...facet, delta: 0 };
    this.#changes.set(id, { ...known, delta: known.delta + delta });
  }

  #addPairs(post: Counted | null, delta: number): void {
    if (post === null || post.publishedAt === null || post.archivedAt !== null) return;
    for (const pair of pairsOf(post)) {
      const id = `${pair.first}\n${pair.second}`;
      const known = this.#pairs.get(id) ?? { ...pair, delta: 0 };
      this.#pairs.set(id, { ...known, delta: known.delta + delta });
    }
  }

  /** The same as `list` for every two of what lists filter by. */
  pairs(): (Pair & { delta: number })[] {
    return [...this.#pairs]
      .filter(([, change]) => change.delta !== 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, change]) => change);
  }

  /** What is left to write, in one order for every transaction: two of them never wait for each other in a circle. */
  list(): CountChange[] {
    return [...this.#changes]
      .filter(([, change]) => change.delta !== 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, change]) => change);
  }

  /** Addresses at which a post is, will be or was public, and where something is different now. */
  addresses(): AddressChange[] {
    return [...this.#addresses].map(([slug, left]) => ({ slug, left }));
  }
}

/**
 * Runs a change of posts and writes at its end what it does to the counts and to addresses, and that public reads have
 * changed. Late on purpose: these are rows that every publication writes, so they are locked for as short as possible,
 * and after all locks on posts and slugs.
 */
export async function withCounts<T>(
  trx: Trx,
  { now }: Pick<Env, 'now'>,
  change: (counts: CountChanges) => Promise<T>,
): Promise<T> {
  const counts = new CountChanges(now);
  const result = await change(counts);
  await addCounts(trx, counts.list());
  await addPairs(trx, counts.pairs());
  if (counts.touchesPublic) {
    await noteChanges(trx, counts.addresses(), now);
    await bumpVersion(trx, PUBLIC_POSTS_VERSION);
  }
  return result;
}
