import type { Db } from '../../../platform/db/index.ts';
import type { AttemptRecord, Result } from '../engine/types.ts';
import { HISTOGRAM_SIZE, placeOf } from './histogram.ts';
import { type CountsRow, type LastRow, saveCounts, saveLast } from './store.ts';

/** Attempts are counted in buckets of this length. Milliseconds. */
export const BUCKET_MS = 300_000;
/**
 * A bucket that is over is kept for so long after it was last added to: what another worker made is told late, and by that one's clock (docs/adr/0036), which
 * may be far behind. A bucket is written in full, so what came to one that is forgotten would take the place of all that was counted. Milliseconds.
 */
const LATE_MS = 300_000;
/** Rows per statement. */
const PORTION = 500;
/** Failures of this age with no success among them are worth a row; those in between are only counted. Milliseconds. */
export const MARK_AFTER_MS = 60_000;

interface Bucket {
  attempts: number;
  failures: number;
  durations: number[];
  isChanged: boolean;
  /** By this process's clock. Milliseconds. */
  writtenAt: number;
}

interface Entry {
  buckets: Map<number, Bucket>;
  successAt: number | null;
  failure: { at: number; log: string } | null;
  /** The address that failed. */
  url: string;
  /** The first failure of it since the last success that this process has seen. */
  failingFrom: number | null;
  isChanged: boolean;
}

/**
 * What came back from each endpoint, counted in memory and written every few seconds: an attempt costs no statement. A killed
 * process loses the counts of these seconds, and the deliveries themselves are complete all the same.
 */
export class HealthBook {
  readonly #db: Db;
  readonly #writer: string;
  readonly #entries = new Map<string, Entry>();

  constructor(db: Db, writer: string) {
    this.#db = db;
    this.#writer = writer;
  }

  /** An attempt was made and ended so. */
  note({ ticket, status, durationMs, at, log }: Result): void {
    const { id, url } = ticket.endpoint;
    const entry = this.#entryOf(id);
    const start = at - (at % BUCKET_MS);
    let bucket = entry.buckets.get(start);
    if (!bucket) {
      bucket = {
        attempts: 0,
        failures: 0,
        durations: Array<number>(HISTOGRAM_SIZE).fill(0),
        isChanged: true,
        writtenAt: 0,
      };
      entry.buckets.set(start, bucket);
    }
    bucket.attempts++;
    bucket.durations[placeOf(durationMs)]!++;
    bucket.isChanged = entry.isChanged = true;
    if (status === 'DELIVERED') {
      entry.successAt = at;
      entry.failingFrom = null;
    } else {
      bucket.failures++;
      entry.failure = { at, log: log ?? '' };
      entry.failingFrom = entry.url === url ? Math.min(entry.failingFrom ?? at, at) : at;
      entry.url = url;
    }
  }

  /** Another node may have sent to these since this one last did: what has failed here until now need not fail any more. */
  forgetFailing(isConcerned: (endpointId: string) => boolean): void {
    for (const [id, entry] of this.#entries) if (isConcerned(id)) entry.failingFrom = null;
  }

  /** Endpoints of whose address nothing but failures came back for a minute or longer, and since when. */
  failing(now: number): Map<string, { url: string; since: number }> {
    const found = new Map<string, { url: string; since: number }>();
    for (const [id, { url, failingFrom }] of this.#entries)
      if (failingFrom !== null && now - failingFrom >= MARK_AFTER_MS) found.set(id, { url, since: failingFrom });
    return found;
  }

  /** Writes what has changed. What cannot be written is kept for the next time. */
  async flush(now: number): Promise<void> {
    const changed = [...this.#entries].filter(([, entry]) => entry.isChanged);
    const counts: CountsRow[] = [];
    const last: LastRow[] = [];
    for (const [endpointId, entry] of changed) {
      for (const [bucket, { isChanged, attempts, failures, durations }] of entry.buckets)
        if (isChanged) counts.push({ endpointId, bucket, attempts, failures, durations: [...durations] });
      last.push(lastOf(endpointId, entry));
    }
    for (const [, entry] of changed) {
      entry.isChanged = false;
      for (const bucket of entry.buckets.values()) {
        if (bucket.isChanged) bucket.writtenAt = now;
        bucket.isChanged = false;
      }
    }
    try {
      for (let i = 0; i < counts.length; i += PORTION)
        await saveCounts(this.#db, this.#writer, counts.slice(i, i + PORTION));
      // In one order for all nodes: what moved from one to the other is written by both.
      last.sort((a, b) => (a.endpointId < b.endpointId ? -1 : 1));
      for (let i = 0; i < last.length; i += PORTION) await saveLast(this.#db, last.slice(i, i + PORTION));
    } catch (error) {
      for (const [, entry] of changed) {
        entry.isChanged = true;
        for (const bucket of entry.buckets.values()) bucket.isChanged = true;
      }
      throw error;
    }
    this.#forget(now);
  }

  #entryOf(id: string): Entry {
    let entry = this.#entries.get(id);
    if (!entry) {
      entry = { buckets: new Map(), successAt: null, failure: null, url: '', failingFrom: null, isChanged: true };
      this.#entries.set(id, entry);
    }
    return entry;
  }

  /** What is written and over. An endpoint that fails is kept, with the time since when. */
  #forget(now: number): void {
    for (const [id, entry] of this.#entries) {
      for (const [start, bucket] of entry.buckets)
        if (!bucket.isChanged && Math.max(start + BUCKET_MS, bucket.writtenAt) + LATE_MS <= now)
          entry.buckets.delete(start);
      if (entry.buckets.size === 0 && entry.failingFrom === null && !entry.isChanged) this.#entries.delete(id);
    }
  }
}

/** The status is taken from the attempt's log, once per endpoint and writing. */
function lastOf(endpointId: string, { successAt, failure }: Entry): LastRow {
  const record = failure && failure.log !== '' ? (JSON.parse(failure.log) as AttemptRecord) : null;
  return {
    endpointId,
    successAt,
    failureAt: failure?.at ?? null,
    failureClass: record?.errorClass ?? null,
    failureStatus: record?.responseStatus ?? null,
  };
}
