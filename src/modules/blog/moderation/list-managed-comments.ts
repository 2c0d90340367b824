import type { Db } from '../../../platform/db/index.ts';
import { type Page, toPage } from '../../../platform/http/index.ts';
import { COMMENT_STATUSES } from '../comments/rules.ts';
import type { Writer } from '../rules.ts';
import type { ListManagedCommentsQuery, ManagedComment } from './schemas.ts';
import { countManaged, pageOfManaged } from './store.ts';
import { managedComment } from './views.ts';

/** The comments on the writer's own posts, or all for an editor (interface.md §4 note 2); newest first. */
export async function listManagedComments(
  db: Db,
  { writer, query }: { writer: Writer; query: ListManagedCommentsQuery },
): Promise<Page<ManagedComment>> {
  const filter = {
    statuses: query.status === undefined ? COMMENT_STATUSES : [query.status],
    postId: query.postId,
    postAuthorId: writer.role === 'EDITOR' ? undefined : writer.id,
    reported: query.reported === true,
  };
  const rows = await pageOfManaged(db, filter, query);
  return toPage(query, await countManaged(db, filter), rows.map(managedComment));
}
