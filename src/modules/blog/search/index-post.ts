import type { Trx } from '../../../platform/db/index.ts';
import { documentOf, INDEX_VERSION, orderedAt, type Searchable } from './document.ts';
import { saveDocument } from './store.ts';

/** Stores what is searched of a post, in the transaction of the change. */
export async function indexPost(trx: Trx, post: Searchable & { id: string }): Promise<void> {
  await saveDocument(trx, { postId: post.id, at: orderedAt(post), version: INDEX_VERSION, ...documentOf(post) });
}
