import type { Reply } from '../../../platform/http/index.ts';
import { type Call, engage, type EngageDeps } from './engage.ts';

/**
 * Counts a read of the post: once per Idempotency-Key, which stands for the visit (interface.md §4 note 3); without a
 * key each time. Errors: see `engage`.
 */
export const viewPost = (deps: EngageDeps, input: { slug: string }, call: Call): Promise<Reply> =>
  engage(deps, { kind: 'view', ...input }, call);
