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
  /** Whether the site is served, which has a page for it. */
  hasSite: boolean;
}

export interface PreviewLink {
  /** For programs: the post as JSON. */
  url: string;
  /** For people: the page of the site; null where there is none. */
  pageUrl: string | null;
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
  return {
    url: `${input.baseUrl}/v1/blog/preview/${token}`,
    pageUrl: input.hasSite ? `${input.baseUrl}/blog/-/preview/${token}` : null,
    token,
    expiresAt: expiresAt.toISOString(),
  };
}
