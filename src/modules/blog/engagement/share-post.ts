import type { Reply } from '../../../platform/http/index.ts';
import { type Call, engage, type EngageDeps } from './engage.ts';

/** Counts that somebody passed the post on, through a channel. Errors: see `engage`. */
export const sharePost = (deps: EngageDeps, input: { slug: string; channel: string }, call: Call): Promise<Reply> =>
  engage(deps, { kind: 'share', ...input }, call);
