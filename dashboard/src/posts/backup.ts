import type { ManagedPost } from '@posthorn/client';
import { differing, type Fields, fieldsOf } from './fields.ts';

export interface Backup {
  version: number;
  fields: Fields;
  /** When it was written. */
  at: string;
}

const keyOf = (id: string): string => `posthorn.draft.${id}`;

/** Keeps in this browser what has not reached the service; null removes it. A full or forbidden storage is no failure. */
export function writeBackup(id: string, unsaved: { version: number; fields: Fields } | null): void {
  try {
    if (unsaved === null) localStorage.removeItem(keyOf(id));
    else localStorage.setItem(keyOf(id), JSON.stringify({ ...unsaved, at: new Date().toISOString() }));
  } catch {
    // The text is still on the page, and the page says that it is not saved.
  }
}

/** What was kept of this post and differs from it. */
export function readBackup(post: ManagedPost): Backup | null {
  try {
    const backup = JSON.parse(localStorage.getItem(keyOf(post.id)) ?? 'null') as Backup | null;
    return backup && differing(fieldsOf(post), backup.fields).length > 0 ? backup : null;
  } catch {
    return null;
  }
}
