/** A browser's clock that is off by less than this is taken as it is: replies take a while, and say the second only. */
const TOLERANCE_MS = 5000;

let offBy = 0;

/** The present time, as the service has it. Milliseconds. */
export const serverNow = (): number => Date.now() + offBy;

/**
 * `fetch` that hears from each reply what time it is at the service: beside a browser whose clock is wrong, "an hour ago"
 * would be wrong, and "the last hour" would hold nothing.
 */
export const listeningFetch: typeof fetch = async (input, init) => {
  const reply = await fetch(input, init);
  const told = Date.parse(reply.headers.get('date') ?? '');
  // What the browser has kept tells of when it was made.
  const isKept = /max-age=[1-9]/.test(reply.headers.get('cache-control') ?? '');
  if (!Number.isNaN(told) && !isKept) {
    const off = told - Date.now();
    offBy = Math.abs(off) > TOLERANCE_MS ? off : 0;
  }
  return reply;
};
