import type { Cipher } from '../../../lib/cipher.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { findOwnPost, type OnPost } from '../authoring/own-post.ts';
import { generationOf } from './store.ts';
import { signPreview } from './token.ts';

export interface CreatePreviewLinkInput extends OnPost {
  /** Lifetime. Seconds. */
  expiresInSeconds: number;
  /** Address of the service, as the caller reaches it. */
  baseUrl: string;
}

export interface PreviewLink {
  url: string;
  token: string;
  expiresAt: string;
}

/** A link that shows the post as it is at each look, until it expires or is ended. Throws NOT_FOUND. */
export async function createPreviewLink(
  trx: Trx,
  input: CreatePreviewLinkInput,
  env: Env & { cipher: Cipher },
): Promise<PreviewLink> {
  const { id } = await findOwnPost(trx, input);
  const expiresAt = new Date(env.now.getTime() + input.expiresInSeconds * 1000);
  const token = signPreview({ postId: id, generation: await generationOf(trx, id), expiresAt }, env.cipher);
  return { url: `${input.baseUrl}/v1/blog/preview/${token}`, token, expiresAt: expiresAt.toISOString() };
}
