import type { Trx } from '../../../platform/db/index.ts';
import { lockOwnPost, type OnPost } from '../authoring/own-post.ts';
import { raiseGeneration } from './store.ts';

/** Ends every preview link of the post, whoever made it. Throws NOT_FOUND. */
export async function endPreviewLinks(trx: Trx, { writer, id }: OnPost): Promise<void> {
  await lockOwnPost(trx, { writer, id });
  await raiseGeneration(trx, id);
}
