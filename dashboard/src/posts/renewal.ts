import type { ManagedPost } from '@posthorn/client';

type Dated = Pick<ManagedPost, 'status' | 'publishedAt'>;

/** The service has turned a post public by then. Milliseconds. */
const AFTER_MS = 1000;
/** The next one may be planned elsewhere; and no timer of a browser is longer than 24 days. Milliseconds. */
const LATEST_MS = 300_000;
/** The next one may be one of those that are not shown. Milliseconds. */
const UNSEEN_MS = 30_000;

/** After how long a list of posts is read anew, when the next one turns public; false: none is to. Milliseconds. */
export function renewalAfter(posts: readonly Dated[], scheduled: number, now: number): number | false {
  if (scheduled === 0) return false;
  const times = posts
    .filter(({ status }) => status === 'SCHEDULED')
    .map(({ publishedAt }) => Date.parse(publishedAt ?? '') - now + AFTER_MS)
    .filter((ms) => !Number.isNaN(ms));
  const latestMs = times.length < scheduled ? UNSEEN_MS : LATEST_MS;
  return Math.max(AFTER_MS, Math.min(latestMs, ...times));
}
