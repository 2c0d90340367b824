import type { BlogRole } from '../../contracts/caller.ts';
import { AppError, type ErrorDetail, invalid } from '../../contracts/errors.ts';
import { DATE_TIME_RULE, isDateTime } from '../../lib/date-time.ts';
import { etagMatches } from '../../platform/http/index.ts';
import type { Env } from '../../platform/db/index.ts';
import type { PostContent, PostTimes } from './post.ts';

/**
 * The life of a post (contract: "Blog", state table). The state is derived from three times and the clock, so a
 * scheduled post goes live on time on every node, also when none was running at that moment.
 *
 *            publish                    unpublish
 *   DRAFT ───────────▶ PUBLISHED ──────────────────▶ ARCHIVED
 *     │ ▲                ▲    ▲        publish          │ │
 *     │ │ unpublish      │    └─────────────────────────┘ │
 *     │ │                │ time                           │
 *     │ └──────────── SCHEDULED ◀── publish at ───────────┤
 *     └─ publish at ──▶                                   │
 *     ▲                          unpublish                │
 *     └───────────────────────────────────────────────────┘
 */
export const STATES = ['DRAFT', 'SCHEDULED', 'PUBLISHED', 'ARCHIVED'] as const;
export type PostState = (typeof STATES)[number];

export function stateOf(times: Pick<PostTimes, 'publishedAt' | 'archivedAt'>, now: Date): PostState {
  if (times.publishedAt === null) return 'DRAFT';
  if (times.archivedAt !== null) return 'ARCHIVED';
  return times.publishedAt > now ? 'SCHEDULED' : 'PUBLISHED';
}

/**
 * The time of a change of a locked post: now that it is locked, but never before the last change. A request that waited for
 * the lock began before what it waited for was stored: with its own time `updatedAt` would go back, so that whoever polls
 * for changes misses it, and a post that was published meanwhile, or whose date came, would be taken for one that is still
 * to come.
 */
export function timeOfChange(post: { changedAt: Date }, { now, waitedMs }: Pick<Env, 'now' | 'waitedMs'>): Date {
  const present = waitedMs ? new Date(now.getTime() + waitedMs()) : now;
  return post.changedAt > present ? post.changedAt : present;
}

/** So far a change may be ahead of the present because of the wait for a lock; what is further ahead was a clock's error. */
const AHEAD_MS = 60_000;

/**
 * The time by which it is told whether a locked post is public: that of the change, unless the last one was made by a clock that was
 * ahead. By such a time a post that is published now would be public only when the clocks get there, and one that is scheduled be taken for
 * public: its address, which nobody was told, would be told as removed, and kept from others.
 */
export function presentOf(post: { changedAt: Date }, env: Pick<Env, 'now' | 'waitedMs'>): Date {
  const change = timeOfChange(post, env);
  const present = timeOfChange({ changedAt: env.now }, env);
  return change.getTime() - present.getTime() > AHEAD_MS ? present : change;
}

/** Whether readers could ever see the post; if so, its slugs go on leading to it. */
export const wasPublic = (times: Pick<PostTimes, 'firstPublicAt'>, now: Date): boolean =>
  times.firstPublicAt !== null && times.firstPublicAt <= now;

export type Transition = 'publish' | 'publishAt' | 'unpublish';
/** What a transition does: nothing, refuse (409), or set the times in one of four ways. */
export type Effect = 'nothing' | 'refuse' | 'goLive' | 'goLiveAt' | 'restore' | 'archive' | 'toDraft';

export const TRANSITIONS = {
  publish: { DRAFT: 'goLive', SCHEDULED: 'goLive', PUBLISHED: 'nothing', ARCHIVED: 'restore' },
  publishAt: { DRAFT: 'goLiveAt', SCHEDULED: 'goLiveAt', PUBLISHED: 'refuse', ARCHIVED: 'goLiveAt' },
  unpublish: { DRAFT: 'nothing', SCHEDULED: 'toDraft', PUBLISHED: 'archive', ARCHIVED: 'toDraft' },
} as const satisfies Record<Transition, Record<PostState, Effect>>;

const EFFECTS = {
  goLive: (post, now) => ({ ...post, publishedAt: now, archivedAt: null }),
  goLiveAt: (post, _now, at) => ({ ...post, publishedAt: at, archivedAt: null }),
  // An imported post may be archived before its date: it is public now all the same.
  restore: (post, now) => ({
    ...post,
    publishedAt: post.publishedAt !== null && post.publishedAt < now ? post.publishedAt : now,
    archivedAt: null,
  }),
  archive: (post, now) => ({ ...post, archivedAt: now }),
  toDraft: (post) => ({ ...post, publishedAt: null, archivedAt: null }),
} satisfies Record<Exclude<Effect, 'nothing' | 'refuse'>, (post: PostTimes, now: Date, at: Date) => PostTimes>;

/** `firstPublicAt` follows the first publication that was not taken back before its time. */
function withFirstPublicAt(before: PostTimes, after: PostTimes, now: Date): PostTimes {
  if (wasPublic(before, now)) return after;
  return { ...after, firstPublicAt: after.publishedAt };
}

/**
 * The times of a post after a transition, or null when it changes nothing. Throws INVALID_STATE where the contract's
 * table refuses. `at` is looked at by `publishAt` only; in the past, it publishes with that date.
 */
export function transition(kind: Transition, post: PostTimes, now: Date, at: Date = now): PostTimes | null {
  const state = stateOf(post, now);
  const effect = TRANSITIONS[kind][state];
  if (effect === 'nothing') return null;
  if (effect === 'refuse') {
    throw new AppError('INVALID_STATE', {
      message: `A post that is ${state} cannot be scheduled; unpublish it first.`,
    });
  }
  const { publishedAt, archivedAt, firstPublicAt } = post;
  const after = EFFECTS[effect]({ publishedAt, archivedAt, firstPublicAt }, now, at);
  return withFirstPublicAt(post, after, now);
}

/** Who may delete a post in which state (contract: state table, column "delete"); an author: only an own post. */
export const MAY_DELETE = {
  DRAFT: { AUTHOR: true, EDITOR: true },
  SCHEDULED: { AUTHOR: false, EDITOR: true },
  PUBLISHED: { AUTHOR: false, EDITOR: true },
  ARCHIVED: { AUTHOR: false, EDITOR: true },
} as const satisfies Record<PostState, Record<BlogRole, boolean>>;

/** A user with a blog role, as a caller of a managed operation. */
export interface Writer {
  id: string;
  role: BlogRole;
}

/** An author meets own posts only; to them, others' posts do not exist (contract: "Blog"). */
export const mayManage = (writer: Writer, post: { authorId: string }): boolean =>
  writer.role === 'EDITOR' || post.authorId === writer.id;

/** Faults of a content that is to be public: title, slug, body and category are needed (contract: "Blog"). */
export function missingForPublish(content: PostContent, prefix = ''): ErrorDetail[] {
  return (['title', 'slug', 'body', 'category'] as const)
    .filter((field) => (content[field] ?? '').trim() === '')
    .map((field) => ({ path: `${prefix}${field}`, message: 'is needed for a published post' }));
}

/** Throws VALIDATION_ERROR naming each field that a public post lacks. */
export function requirePublishable(content: PostContent, prefix = ''): void {
  const missing = missingForPublish(content, prefix);
  if (missing.length > 0) throw invalid(...missing);
}

/** The entity tag of a managed post: its version (contract: "Conditional requests"). */
export const versionEtag = (post: { version: number }): string => `"${post.version}"`;

/** `*`, or a list of entity tags (RFC 9110 §13.1.1), in which a comma may stand in a tag, and nothing between two of them. */
const isIfMatch = (header: string): boolean =>
  header.trim() === '*' || /^[\s,]*"[\s,"]*$/.test(header.replaceAll(/(?:W\/)?"[^"]*"/g, '"'));

/**
 * Throws PRECONDITION_FAILED when an `If-Match` names another version than the post's, VALIDATION_ERROR when it names none: a version
 * without its quotes fits no post, and would be told that the post has changed.
 */
export function requireVersion(post: { version: number }, ifMatch: string | undefined): void {
  if (ifMatch === undefined || etagMatches(ifMatch, versionEtag(post), false)) return;
  if (!isIfMatch(ifMatch))
    throw invalid({ path: 'header.if-match', message: 'must be * or a version in double quotes, such as "3"' });
  const isWeakened = etagMatches(ifMatch, versionEtag(post), true);
  throw new AppError('PRECONDITION_FAILED', {
    message: isWeakened
      ? `A weak ETag never matches (a proxy that compresses makes them weak): send If-Match: "${post.version}", the \`version\` of the post.`
      : `The post has changed: its version is now ${post.version}.`,
    currentVersion: post.version,
    headers: { etag: versionEtag(post) },
  });
}

/** An instant that both databases and JSON can hold: years 1000 to 9999. Throws VALIDATION_ERROR. */
export function instantOf(text: string, path: string): Date {
  if (!isDateTime(text)) throw invalid({ path, message: DATE_TIME_RULE });
  return new Date(text);
}
