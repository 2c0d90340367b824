import { gatherTurn } from '../../../lib/gather-turn.ts';
import { isSlug } from '../../../lib/slug.ts';
import type { Db } from '../../../platform/db/index.ts';
import { postsBySlug } from './store.ts';

/**
 * Tells by the address of a view what it is a view of, of which each visit counts one: the post, whichever of its
 * addresses it is; where there is none, the address, with a mark, for one may read like an id. Those of one turn share
 * a query.
 */
export function visitedPost(db: Db): (slug: string) => Promise<string> {
  const find = gatherTurn(async (slugs: readonly string[]) => {
    const ids = await postsBySlug(db, [...new Set(slugs)]);
    return slugs.map((slug) => ids.get(slug) ?? `/${slug}`);
  });
  return async (slug) => (isSlug(slug) ? find(slug) : `/${slug}`);
}
