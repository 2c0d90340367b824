import type { Copy } from './draft-keeper.ts';

/** What one person wrote is not offered to the next who signs in here. */
export interface BackupKey {
  userId: string;
  postId: string;
}

const prefixOf = ({ userId, postId }: BackupKey): string => `posthorn.draft.${userId}.${postId}.`;
const lockOf = (editorId: string): string => `posthorn.editor.${editorId}`;
const OPEN = 'posthorn.open.';

/**
 * Keeps in this browser what one editor holds and the service does not; nothing removes it. Each editor has a place of its
 * own, so that two windows with one post do not overwrite each other. A full or forbidden storage is no failure.
 */
export function writeCopies(key: BackupKey, editorId: string, copies: readonly Copy[]): void {
  try {
    const name = prefixOf(key) + editorId;
    if (copies.length === 0) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(copies));
  } catch {
    // The text is still on the page, and the page says that it is not saved.
  }
}

/** Takes out what editors of a post have left behind, the newest first; not what belongs to those that are there. */
export function takeCopies(key: BackupKey, isThere: (editorId: string) => boolean): Copy[] {
  try {
    const prefix = prefixOf(key);
    const left = Object.keys(localStorage).filter(
      (name) => name.startsWith(prefix) && !isThere(name.slice(prefix.length)),
    );
    return left.flatMap(takeOut).toSorted((a, b) => b.at.localeCompare(a.at));
  } catch {
    return [];
  }
}

/** What cannot be read stays where it is, and keeps nothing else from being offered. */
function takeOut(name: string): Copy[] {
  try {
    const copies = JSON.parse(localStorage.getItem(name) ?? '[]') as Copy[];
    localStorage.removeItem(name);
    return copies;
  } catch {
    return [];
  }
}

/**
 * Where the page is served by http, browsers give none. Then every editor counts as gone: what another window still holds is
 * offered as well, and nothing is lost by that.
 */
const locks = navigator.locks as LockManager | undefined;

/** Says to the other windows that this editor is there, and of which post, until what it returns is called or the window is gone. */
export function beThere(editorId: string, postId: string): () => void {
  const gone = Promise.withResolvers<void>();
  void locks?.request(lockOf(editorId), () => gone.promise);
  void locks?.request(OPEN + postId, { mode: 'shared' }, () => gone.promise);
  return gone.resolve;
}

/** Ids of the posts that windows of this browser have open; undefined where it does not tell. */
export async function postsThatAreOpen(): Promise<ReadonlySet<string> | undefined> {
  if (!locks) return undefined;
  const { held = [] } = await locks.query();
  const names = held.map(({ name = '' }) => name).filter((name) => name.startsWith(OPEN));
  return new Set(names.map((name) => name.slice(OPEN.length)));
}

/** Calls `act` with what editors that are gone have left of a post. Of several windows one is given it. */
export function withCopiesLeft(key: BackupKey, act: (copies: Copy[]) => void): void {
  if (!locks) return act(takeCopies(key, () => false));
  void locks.request('posthorn.copies', async () => {
    const { held = [] } = await locks.query();
    const there = new Set(held.map(({ name }) => name));
    act(takeCopies(key, (editorId) => there.has(lockOf(editorId))));
  });
}
