import type { Reply } from '../../../platform/http/index.ts';
import { type Call, engage, type EngageDeps } from './engage.ts';
import type { LikeInput } from './like-post.ts';

/** The user takes the like back; without one, nothing changes (interface.md §3.3). Errors: see `engage`. */
export const unlikePost = (deps: EngageDeps, input: LikeInput, call: Call): Promise<Reply> =>
  engage(deps, { kind: 'unlike', ...input }, call);
