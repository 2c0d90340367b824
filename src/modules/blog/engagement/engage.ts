import { AppError } from '../../../contracts/errors.ts';
import type { Cipher } from '../../../lib/cipher.ts';
import { isSlug } from '../../../lib/slug.ts';
import type { Db, Env } from '../../../platform/db/index.ts';
import { findReply, type IdempotencyClaim, type Reply } from '../../../platform/http/index.ts';
import { replyOf } from './commit-batch.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Action } from './tally.ts';

export interface EngageDeps {
  db: Db;
  cipher: Cipher;
  group: Pick<GroupCommit, 'add'>;
  /** Of which post the view of an address is one: see `visitedPost`. */
  visited: (slug: string) => Promise<string>;
}

/** What a request brings along besides what it asks for. */
export interface Call {
  env: Env;
  claim: IdempotencyClaim | undefined;
}

/**
 * Does something with a public post, by an address that it has or had, and answers after the commit, with a count that
 * has it in. No redirection: clients repeat a redirected POST or DELETE as a GET, and what was meant would be lost.
 * Throws NOT_FOUND, UNAVAILABLE when too much is waiting.
 */
export async function engage({ db, cipher, group }: EngageDeps, action: Action, { env, claim }: Call): Promise<Reply> {
  if (!isSlug(action.slug)) throw new AppError('NOT_FOUND');
  const outcome = await group.add({ action, claim });
  switch (outcome.is) {
    case 'counted':
      return replyOf(outcome.counted);
    case 'missing':
      throw new AppError('NOT_FOUND');
    case 'duplicate': {
      const earlier = claim && (await findReply(db, claim, env.now, cipher));
      if (!earlier) throw new AppError('IDEMPOTENCY_IN_PROGRESS', { headers: { 'retry-after': '1' } });
      return earlier;
    }
  }
}
