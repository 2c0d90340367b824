import type { Db } from '../../../platform/db/index.ts';
import { type Page, toPage } from '../../../platform/http/index.ts';
import { findOwnPost, type OnPost } from '../authoring/own-post.ts';
import type { ListRevisionsQuery, RevisionSummary } from './schemas.ts';
import { countRevisions, pageOfRevisions } from './store.ts';
import { revisionSummary } from './views.ts';

/** The former contents of a post, latest first. Throws NOT_FOUND, also to an author for another's post. */
export async function listRevisions(
  db: Db,
  input: OnPost & { query: ListRevisionsQuery },
): Promise<Page<RevisionSummary>> {
  const { id } = await findOwnPost(db, input);
  const rows = await pageOfRevisions(db, id, input.query);
  return toPage(input.query, await countRevisions(db, id), rows.map(revisionSummary));
}
