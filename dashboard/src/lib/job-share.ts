import type { DeliveryJob } from '@posthorn/client';

/** How far a job is, 0 to 100, by what is in its total: what `skipReplayed` leaves out is not, nor what is of a deleted endpoint or past its retention. */
export function jobShare({
  done,
  skipped,
  skipReplayed,
  total,
  totalIsExact,
  state,
}: Pick<DeliveryJob, 'done' | 'skipped' | 'skipReplayed' | 'total' | 'totalIsExact' | 'state'>): number {
  if (state === 'COMPLETED') return 100;
  if (total === 0) return totalIsExact ? 100 : 0;
  const all = Object.values(skipped).reduce((sum, n) => sum + n, 0);
  const left = skipReplayed ? 0 : all - (skipped['ENDPOINT_DELETED'] ?? 0) - (skipped['EXPIRED'] ?? 0);
  return Math.min(100, ((done + left) / total) * 100);
}
