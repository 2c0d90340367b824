import type { Env, Trx } from '../../../platform/db/index.ts';
import { isUuid } from '../../../lib/ids.ts';
import { pathBelow, textKey } from '../comments/rules.ts';
import { addToCounts, type OnCounted } from '../comments/store.ts';
import { authorOf, type Authors, findAuthors, type FindOrCreateAuthor } from './authors.ts';
import type { CleanComment } from './comment-item.ts';
import { type CommentRow, findImported, findPlaces, insertImported, type Place } from './comment-store.ts';

/** What became of the comments that came with one post. */
export interface CommentCounts {
  created: number;
  /** Known already, also when they were hidden or deleted here since. */
  unchanged: number;
  skipped: number;
  /** Why some were skipped. */
  reason: string | null;
}

export interface CommentDeps {
  findOrCreateAuthor: FindOrCreateAuthor;
  counted: OnCounted;
}

export interface ImportCommentsInput {
  postId: string;
  comments: readonly CleanComment[];
}

/** What is known of the comments of a post: by source, and by id those that are here whoever wrote them. */
class Known {
  readonly #bySource: Map<string, Place>;
  readonly #byId: Map<string, Place>;

  private constructor(bySource: Map<string, Place>, byId: Map<string, Place>) {
    this.#bySource = bySource;
    this.#byId = byId;
  }

  static async read(trx: Trx, { postId, comments }: ImportCommentsInput): Promise<Known> {
    const named = comments.flatMap((c) => [c.source, c.parent ?? []].flat());
    const ids = [...named, ...comments.flatMap((c) => c.id ?? [])].filter(isUuid).map((id) => id.toLowerCase());
    return new Known(await findImported(trx, postId, named), await findPlaces(trx, ids));
  }

  get({ source, id }: CleanComment): Place | undefined {
    return this.#bySource.get(source) ?? (id === null ? undefined : this.#byId.get(id));
  }

  /** The comment that is answered, if it is one of this post. */
  parentOf({ parent }: CleanComment, postId: string): Place | undefined {
    if (parent === null) return undefined;
    const place = this.#bySource.get(parent) ?? this.#byId.get(parent.toLowerCase());
    return place?.postId === postId ? place : undefined;
  }

  add(source: string, place: Place): void {
    this.#bySource.set(source, place);
    this.#byId.set(place.id, place);
  }
}

/** One of the future would stay the newest for years. */
const untilNow = (comment: CleanComment, now: Date): CleanComment =>
  comment.createdAt > now ? { ...comment, createdAt: now } : comment;

/**
 * The time of a comment that stands on `path`. Where a reply stands beside what it answers, since that is as deep as it goes, only their
 * times say which comes first: it is the later one, or an export would have it before its parent, and be imported with it at the top.
 */
const timeBehind = (createdAt: Date, path: readonly string[], parent: Place | undefined): Date =>
  parent?.path.length === path.length && parent.createdAt >= createdAt
    ? new Date(parent.createdAt.getTime() + 1)
    : createdAt;

function rowOf(
  comment: CleanComment,
  id: string,
  postId: string,
  parent: Place | undefined,
): Omit<CommentRow, 'authorId'> {
  const { source, body, status, createdAt } = comment;
  const path = parent ? pathBelow(parent) : [];
  return {
    id,
    postId,
    source,
    parentId: parent?.id ?? null,
    rootId: parent?.rootId ?? id,
    path,
    body,
    status,
    textKey: status === 'DELETED' ? null : textKey(body),
    createdAt: timeBehind(createdAt, path, parent),
  };
}

/** The author of a comment that is not deleted; its name is needed there. */
const userOf = (comment: CleanComment, authors: Authors): string | null =>
  comment.status === 'DELETED' ? null : (authorOf(comment, authors) ?? null);

/**
 * Brings in the comments of a post that is stored, with the post's counts. The post must be locked, or not yet to be seen
 * by others: so nobody else has its comments locked. What is known by its source or id is left alone, so a second run
 * changes nothing, and what was hidden or deleted here stays so. Nothing is published, held or logged: these comments
 * were judged where they come from. A parent comes before its replies, in this call or an earlier one.
 */
export async function importComments(
  trx: Trx,
  input: ImportCommentsInput,
  env: Env,
  { findOrCreateAuthor, counted }: CommentDeps,
): Promise<CommentCounts> {
  const { postId, comments } = input;
  const known = await Known.read(trx, input);
  const counts: CommentCounts = { created: 0, unchanged: 0, skipped: 0, reason: null };
  const found: { comment: CleanComment; row: Omit<CommentRow, 'authorId'> }[] = [];
  for (const comment of comments) {
    const here = known.get(comment);
    if (here?.postId === postId) counts.unchanged++;
    else if (here) {
      counts.skipped++;
      counts.reason = 'their id is that of a comment of another post';
    } else {
      const row = rowOf(untilNow(comment, env.now), comment.id ?? env.newId(), postId, known.parentOf(comment, postId));
      known.add(comment.source, row);
      found.push({ comment, row });
    }
  }
  const authors = await findAuthors(
    trx,
    found.map(({ comment }) => comment),
    env,
    findOrCreateAuthor,
  );
  const rows = found.map(({ comment, row }) => ({ ...row, authorId: userOf(comment, authors) }));
  await insertImported(trx, rows, env.now);
  const visible = rows.filter((row) => row.status === 'VISIBLE');
  await addToCounts(
    trx,
    visible.map(({ rootId }) => ({ postId, rootId, delta: 1 })),
    counted,
  );
  return { ...counts, created: rows.length };
}
