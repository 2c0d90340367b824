import type { Item, JobRow } from './store.ts';

/** What a job has left out of its total: what `skipReplayed` leaves out, what is past its retention, and what a replay does of deleted endpoints, was not counted. */
export function leftOfTotal({ skip_replayed, skipped }: Pick<JobRow, 'skip_replayed' | 'skipped'>): number {
  if (skip_replayed) return 0;
  const all = Object.values(skipped).reduce((sum, count) => sum + count, 0);
  return all - (skipped['ENDPOINT_DELETED'] ?? 0) - (skipped['EXPIRED'] ?? 0);
}

/** Why a delivery is not replayed by a job; null: it is. */
function refusal(job: Pick<JobRow, 'filter' | 'skip_replayed'>, item: Item): string | null {
  if (item.status !== job.filter.status) return 'CHANGED';
  if (item.isHidden) return 'EXPIRED';
  if (item.isOrphan) return 'ENDPOINT_DELETED';
  return job.skip_replayed && item.isReplayed ? 'REPLAYED' : null;
}

/** Of a delivery and its replays that all fit, one of a portion is sent; in later ones the replay of that is found (not of a test delivery, which has no place in the log). */
function repeated({ event_id: eventId, endpoint_id: endpointId, webhook }: Item, sent: Set<string>): string | null {
  const key = `${eventId} ${endpointId} ${webhook}`;
  if (sent.has(key)) return 'REPLAYED';
  sent.add(key);
  return null;
}

/** Tells of the deliveries of a portion, in their order, why each is left out; null: it is replayed. */
export function skipping(job: Pick<JobRow, 'filter' | 'skip_replayed'>): (item: Item) => string | null {
  const sent = new Set<string>();
  return (item) => refusal(job, item) ?? (job.skip_replayed ? repeated(item, sent) : null);
}
