import type { BlogRole } from '../../../contracts/caller.ts';
import { invalid } from '../../../contracts/errors.ts';
import type { Db, Env, Trx } from '../../../platform/db/index.ts';
import type { Publish } from '../../events/index.ts';
import { holdReason, isCourtesy } from '../moderation/hold.ts';
import { appendToLog } from '../moderation/log-store.ts';
import { readCommentSettings } from '../moderation/settings-store.ts';
import { mayManage } from '../rules.ts';
import { publicPostOf } from './public-post.ts';
import { cleanText, COMMENT_MAX, pathBelow, textKey } from './rules.ts';
import type { Comment } from './schemas.ts';
import {
  addToCounts,
  type CommentedPost,
  holdPublicPost,
  insertComment,
  lockAuthor,
  lockComments,
  type OnCounted,
  wroteSince,
} from './store.ts';

/** What tells moderators, and who judges users, of a comment. */
export interface FlagDeps {
  publish: Publish;
  /** The id by which events name a user of this service. */
  marketplaceId: (db: Db, userId: string) => Promise<string>;
}

/** What tells others of a comment. */
export interface CommentDeps extends FlagDeps {
  counted: OnCounted;
}

export interface CreateCommentInput {
  slug: string;
  author: { id: string; name: string; blogRole: BlogRole | null };
  body: string;
  parentId?: string | undefined;
}

/** Where the comment stands. Throws VALIDATION_ERROR for a parent that readers cannot answer here. */
async function placeOf(trx: Trx, post: CommentedPost, id: string, parentId: string | undefined) {
  if (parentId === undefined) return { parentId: null, rootId: id, path: [] };
  const parent = (await lockComments(trx, [parentId], post.id)).get(parentId);
  if (!parent || parent.status !== 'VISIBLE') {
    throw invalid({ path: 'body.parentId', message: 'must be a visible comment of this post' });
  }
  return { parentId, rootId: parent.rootId, path: pathBelow(parent) };
}

/** Why the comment has to wait for a moderator, or null. Whoever manages the post is not held. */
async function heldBy(trx: Trx, input: CreateCommentInput, post: CommentedPost, body: string, now: Date) {
  const { id, blogRole } = input.author;
  if (blogRole !== null && mayManage({ id, role: blogRole }, post)) return null;
  const settings = await readCommentSettings(trx);
  await lockAuthor(trx, id);
  const since = new Date(now.getTime() - settings.repeatSeconds * 1000);
  const before = { key: textKey(body), since, postId: isCourtesy(body) ? post.id : null };
  const repeats = settings.repeatSeconds > 0 && (await wroteSince(trx, id, before));
  return holdReason(body, repeats, settings);
}

/**
 * Stores a comment of the user on a public post, by a slug that it has or had: VISIBLE, or HIDDEN when a rule holds it, with the event and the log
 * entry that say so, and the post's counts. Throws NOT_FOUND, VALIDATION_ERROR.
 */
export async function createComment(
  trx: Trx,
  input: CreateCommentInput,
  env: Env,
  { publish, marketplaceId, counted }: CommentDeps,
): Promise<Comment> {
  const { author } = input;
  const body = cleanText(input.body, COMMENT_MAX, 'body.body');
  const post = await publicPostOf(input.slug, (slug) => holdPublicPost(trx, slug, env.now));
  const id = env.newId();
  const held = await heldBy(trx, input, post, body, env.now);
  const place = await placeOf(trx, post, id, input.parentId);
  const status = held ? 'HIDDEN' : 'VISIBLE';
  await insertComment(trx, {
    ...place,
    id,
    postId: post.id,
    authorId: author.id,
    body,
    status,
    held,
    textKey: textKey(body),
    createdAt: env.now,
  });
  if (held) {
    const { rule, reason } = held;
    await appendToLog(
      trx,
      [{ commentId: id, postId: post.id, authorId: author.id, actorId: null, rule, from: null, to: 'HIDDEN', reason }],
      env,
    );
    const targetUserId = await marketplaceId(trx, author.id);
    await publish(
      trx,
      'moderation.flagged',
      { targetType: 'COMMENT', targetId: id, targetUserId, source: 'RULE', reason, rule, postId: post.id },
      // A blog belongs to no account.
      { accountIds: [] },
      env,
    );
  } else {
    await addToCounts(trx, [{ postId: post.id, rootId: place.rootId, delta: 1 }], counted);
  }
  return {
    id,
    body,
    parentId: place.parentId,
    status,
    createdAt: env.now.toISOString(),
    author: { id: author.id, name: author.name },
    replies: [],
  };
}
