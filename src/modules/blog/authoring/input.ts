import type { SessionCaller } from '../../../contracts/caller.ts';
import type { Reply } from '../../../platform/http/index.ts';
import { versionEtag, type Writer } from '../rules.ts';
import type { ManagedPost } from '../schemas.ts';
import { getBlogMe } from './get-blog-me.ts';
import type { OnPost } from './own-post.ts';

/** The caller of a managed operation. Throws FORBIDDEN for one without a blog role. */
export const writerOf = (caller: SessionCaller): Writer => {
  const { id, role } = getBlogMe(caller);
  return { id, role };
};

interface Input {
  params: { id: string };
  caller: SessionCaller;
  headers: Readonly<Record<string, string | undefined>>;
}

/** What an operation on one managed post is given by its request. */
export const onPost = ({ params, caller, headers }: Input): OnPost => ({
  writer: writerOf(caller),
  id: params.id,
  ifMatch: headers['if-match'],
});

/** A managed post is personal and its version is its entity tag. */
export const replyWith = (status: number, post: ManagedPost): Reply => ({
  status,
  body: post,
  headers: { etag: versionEtag(post), 'cache-control': 'private, no-cache', vary: 'Authorization' },
});
