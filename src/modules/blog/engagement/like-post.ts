import type { Reply } from '../../../platform/http/index.ts';
import { type Call, engage, type EngageDeps } from './engage.ts';

export interface LikeInput {
  slug: string;
  userId: string;
}

/** The user likes the post; liking again changes nothing (interface.md §3.3). Errors: see `engage`. */
export const likePost = (deps: EngageDeps, input: LikeInput, call: Call): Promise<Reply> =>
  engage(deps, { kind: 'like', ...input }, call);
