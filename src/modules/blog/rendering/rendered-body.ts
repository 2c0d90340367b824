import type { Db, Trx } from '../../../platform/db/index.ts';
import { RENDERER_VERSION, type Rendering } from './render.ts';
import { render, renderWithin } from './renderer.ts';
import { bodyOf, saveRendering } from './store.ts';

/**
 * A write waits so long for its text, since it holds a transaction; one of many posts (an import) waits for the first
 * only. The others are rendered after it. Milliseconds.
 */
const IN_WRITE_MS = 300;
const waited = new WeakSet<Trx>();

async function inTime(trx: Trx, body: string): Promise<Rendering | null> {
  if (waited.has(trx)) return null;
  waited.add(trx);
  return renderWithin(body, IN_WRITE_MS);
}

/** Columns of a body that is stored: with its rendering where that is ready in time. */
export async function bodyColumns(
  trx: Trx,
  body: string,
): Promise<{ body: string; html: string | null; html_version: number }> {
  const rendering = await inTime(trx, body);
  return { body, html: rendering?.html ?? null, html_version: rendering ? RENDERER_VERSION : 0 };
}

/** The HTML of a post: the stored one, also an older renderer's, or else rendered now and kept for the next reader. */
export async function htmlOf(db: Db, post: { id: string; body: string; html: string | null }): Promise<string> {
  if (post.html !== null) return post.html;
  const { html } = await render(post.body);
  await saveRendering(db, { postId: post.id, body: post.body, html, version: RENDERER_VERSION });
  return html;
}

/** Renders a post anew if its rendering is missing or of an older renderer. */
export async function renewRendering(db: Db, postId: string): Promise<void> {
  const stored = await bodyOf(db, postId);
  if (!stored || stored.version >= RENDERER_VERSION) return;
  const { html } = await render(stored.body);
  await saveRendering(db, { postId, body: stored.body, html, version: RENDERER_VERSION });
}
