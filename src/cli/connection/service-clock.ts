import { systemClock } from '../../lib/clock.ts';

/** A clock that is off by less than this is taken as it is: replies take a while, and say the second only. */
const TOLERANCE_MS = 5000;

let offBy = 0;
let hasReplied = false;

/** Whether the service has answered anything. */
export const isHeard = (): boolean => hasReplied;

/** The present time as the service has it, by its last reply; before there is one as this machine has it. Milliseconds. */
export const serviceNow = (): number => systemClock.now() + offBy;

/** What a reply says of the time at the service (its `Date` header). */
export function hear(date: string | null): void {
  const told = Date.parse(date ?? '');
  if (Number.isNaN(told)) return;
  const off = told - systemClock.now();
  offBy = Math.abs(off) > TOLERANCE_MS ? off : 0;
}

/** `fetch` that hears from each reply what time it is at the service: what it says to be valid until then is judged by that. */
export const listeningFetch: typeof fetch = async (input, init) => {
  const reply = await fetch(input, init);
  hasReplied = true;
  hear(reply.headers.get('date'));
  return reply;
};
