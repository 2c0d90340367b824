import type { ManagedPost } from '@posthorn/client';
import { serverNow } from '../api/clock.ts';
import { differing, type Fields, fieldsOf } from './fields.ts';

export interface Backup {
  version: number;
  fields: Fields;
  /** When it was written. */
  at: string;
}

/** What one person wrote is not offered to the next who signs in here. */
export interface BackupKey {
  userId: string;
  postId: string;
}

const keyOf = ({ userId, postId }: BackupKey): string => `posthorn.draft.${userId}.${postId}`;

/** Keeps in this browser what has not reached the service; null removes it. A full or forbidden storage is no failure. */
export function writeBackup(key: BackupKey, unsaved: { version: number; fields: Fields } | null): void {
  try {
    if (unsaved === null) localStorage.removeItem(keyOf(key));
    else localStorage.setItem(keyOf(key), JSON.stringify({ ...unsaved, at: new Date(serverNow()).toISOString() }));
  } catch {
    // The text is still on the page, and the page says that it is not saved.
  }
}

/** What was kept of this post and differs from it. */
export function readBackup(key: BackupKey, post: ManagedPost): Backup | null {
  try {
    const backup = JSON.parse(localStorage.getItem(keyOf(key)) ?? 'null') as Backup | null;
    return backup && differing(fieldsOf(post), backup.fields).length > 0 ? backup : null;
  } catch {
    return null;
  }
}
