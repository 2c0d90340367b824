import { leastUuidv7 } from '../../../lib/ids.ts';

const DAY_MS = 86_400_000;
export const WEEK_MS = 7 * DAY_MS;
/** The first Monday since the epoch, 00:00 UTC. */
const MONDAY_MS = 4 * DAY_MS;

/** Lower than every id, and higher than every one. */
export const LEAST_ID = '00000000-0000-0000-0000-000000000000';
export const GREATEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Ids from one on and below another. */
export interface IdRange {
  from: string;
  to: string;
}

/** When the week of this time began: Monday 00:00 UTC. Milliseconds since the epoch. */
export const weekOf = (ms: number): number => Math.floor((ms - MONDAY_MS) / WEEK_MS) * WEEK_MS + MONDAY_MS;

/** Name of the part of `webhook_deliveries` for the week that begins then, and the ids that it takes. */
export function partOf(week: number): IdRange & { name: string } {
  const day = new Date(week).toISOString().slice(0, 10).replaceAll('-', '');
  return { name: `webhook_deliveries_${day}`, from: leastUuidv7(week), to: leastUuidv7(week + WEEK_MS) };
}

/** The time before which something that is kept for so many days was made. Milliseconds since the epoch. */
export const daysBefore = (ms: number, days: number): number => ms - days * DAY_MS;
