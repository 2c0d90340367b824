import type { Static } from 'typebox';
import type { Db } from '../../../platform/db/index.ts';
import type { EndpointRow } from '../endpoints/store.ts';
import { HISTOGRAM_SIZE, percentile } from './histogram.ts';
import { COUNTED_UP_TO, type EndpointHealthSchema } from './schemas.ts';
import { selectCounts, selectLast, selectWaiting } from './store.ts';

type Health = Static<typeof EndpointHealthSchema>;
type Counts = Awaited<ReturnType<typeof selectCounts>>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function summed(rows: Counts): Health['lastDay'] {
  const durations = Array<number>(HISTOGRAM_SIZE).fill(0);
  let [attempts, failures] = [0, 0];
  for (const row of rows) {
    attempts += row.attempts;
    failures += row.failures;
    for (const [i, n] of row.durations.entries()) durations[i] = (durations[i] ?? 0) + n;
  }
  return {
    attempts,
    failures,
    successRate: attempts === 0 ? null : (attempts - failures) / attempts,
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
  };
}

const text = (at: Date | null | undefined): string | null => at?.toISOString() ?? null;

function probeOf(row: EndpointRow): Health['probe'] {
  const isDisabled = row.status === 'DISABLED';
  const at = isDisabled ? row.probe_at : null;
  const state = isDisabled && row.probe_id !== null ? 'UNDER_WAY' : at ? 'SCHEDULED' : 'NONE';
  return { state, at: text(at), failed: row.probes };
}

/**
 * How an endpoint fares. Attempts are those that were written, up to ten seconds ago, of whole buckets of five minutes; a
 * killed process has lost its last ten seconds of them. Costs the same however many deliveries there are.
 */
export async function getEndpointHealth(
  db: Db,
  row: EndpointRow,
  { now, disableAfterMs }: { now: Date; disableAfterMs: number },
): Promise<Health> {
  const since = (ms: number): Date => new Date(now.getTime() - ms);
  const counts = await selectCounts(db, row.id, since(DAY_MS));
  const last = await selectLast(db, row.id);
  const waiting = await selectWaiting(db, row.id, COUNTED_UP_TO);
  const limit = row.failing_since && row.status === 'ACTIVE' ? row.failing_since.getTime() + disableAfterMs : null;
  return {
    endpointId: row.id,
    status: row.status,
    statusReason: row.status_reason,
    lastHour: summed(counts.filter((c) => c.bucket >= since(HOUR_MS))),
    lastDay: summed(counts),
    lastSuccessAt: text(last?.last_success_at),
    lastFailure: last?.last_failure_at
      ? {
          at: last.last_failure_at.toISOString(),
          errorClass: last.last_failure_class,
          httpStatus: last.last_failure_status,
        }
      : null,
    failingSince: text(row.failing_since),
    disabledWhenFailingUntil: limit === null ? null : new Date(limit).toISOString(),
    disabledAt: text(row.disabled_at),
    probe: probeOf(row),
    pending: waiting.PENDING,
    held: waiting.HELD,
    dead: waiting.DEAD,
    oldestPending: waiting.oldest && {
      createdAt: waiting.oldest.created_at.toISOString(),
      nextAttemptAt: waiting.oldest.next_attempt_at.toISOString(),
    },
  };
}
