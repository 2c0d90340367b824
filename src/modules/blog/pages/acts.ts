import type { Env, Trx } from '../../../platform/db/index.ts';
import { claimOf, findReply } from '../../../platform/http/index.ts';
import { type CommentDeps, createComment, type CreateCommentInput } from '../comments/create-comment.ts';
import { deleteComment } from '../comments/delete-comment.ts';
import { reportComment, type ReportCommentInput } from '../comments/report-comment.ts';
import type { Comment } from '../comments/schemas.ts';
import type { EngageDeps } from '../engagement/engage.ts';
import { likePost } from '../engagement/like-post.ts';
import { sharePost } from '../engagement/share-post.ts';
import { unlikePost } from '../engagement/unlike-post.ts';
import { viewPost } from '../engagement/view-post.ts';

/** What readers do on the pages of a site: the same as over the API, with the same errors. */
export interface PageActs {
  like(
    like: { slug: string; userId: string; isLiked: boolean },
    env: Env,
  ): Promise<{ liked: boolean; likeCount: number }>;
  /** Counts once per post and visit; again it changes nothing. `visit`: visible ASCII. */
  view(view: { slug: string; visit: string }, env: Env): Promise<void>;
  share(share: { slug: string; channel: string }, env: Env): Promise<void>;
  comment(trx: Trx, input: CreateCommentInput, env: Env): Promise<Comment>;
  removeComment(trx: Trx, comment: { id: string; userId: string }): Promise<void>;
  report(trx: Trx, input: ReportCommentInput, env: Env): Promise<void>;
}

export function createPageActs(engaging: EngageDeps, commenting: CommentDeps): PageActs {
  const { db, cipher, visited } = engaging;
  return {
    async like({ isLiked, ...like }, env) {
      const { body } = await (isLiked ? likePost : unlikePost)(engaging, like, { env, claim: undefined });
      return body as { liked: boolean; likeCount: number };
    },
    async view({ slug, visit }, env) {
      const scope = { credential: 'site', method: 'POST', route: `view ${await visited(slug)}` };
      const claim = claimOf(visit, scope, { url: scope.route, body: undefined }, cipher);
      if (await findReply(db, claim, env.now, cipher)) return;
      await viewPost(engaging, { slug }, { env, claim });
    },
    async share(share, env) {
      await sharePost(engaging, share, { env, claim: undefined });
    },
    comment: (trx, input, env) => createComment(trx, input, env, commenting),
    removeComment: (trx, comment) => deleteComment(trx, comment, commenting.counted),
    report: (trx, input, env) => reportComment(trx, input, env, commenting),
  };
}
