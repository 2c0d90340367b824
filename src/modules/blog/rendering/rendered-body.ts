import type { Db, Trx } from '../../../platform/db/index.ts';
import { RENDERER_VERSION, type Rendering } from './render-with.ts';
import { render, renderWithin } from './renderer.ts';
import { bodyOf, saveGivenUp, saveRendering } from './store.ts';

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
): Promise<{ body: string; html: string | null; html_version: number; html_tries: number }> {
  const rendering = await inTime(trx, body);
  const ready = rendering !== null && !rendering.gaveUp;
  return { body, html: ready ? rendering.html : null, html_version: ready ? RENDERER_VERSION : 0, html_tries: 0 };
}

async function keep(db: Db, { id, body }: { id: string; body: string }, rendering: Rendering): Promise<void> {
  const { html, gaveUp } = rendering;
  const save = gaveUp ? saveGivenUp : saveRendering;
  await save(db, { postId: id, body, html, version: RENDERER_VERSION });
}

/** The HTML of a post: the stored one, also an older renderer's, or else rendered now and kept for the next reader. */
export async function htmlOf(db: Db, post: { id: string; body: string; html: string | null }): Promise<string> {
  if (post.html !== null) return post.html;
  const rendering = await render(post.body);
  await keep(db, post, rendering);
  return rendering.html;
}

/**
 * Renders a post anew if its rendering is missing, was given up or is of an older renderer. True: readers saw another
 * one before.
 */
export async function renewRendering(db: Db, postId: string): Promise<boolean> {
  const stored = await bodyOf(db, postId);
  if (!stored || stored.version >= RENDERER_VERSION) return false;
  const rendering = await render(stored.body);
  await keep(db, { id: postId, body: stored.body }, rendering);
  return stored.html !== null && stored.html !== rendering.html;
}
