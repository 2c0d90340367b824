/** Events of one request, which the service keeps whole or not at all. */
export const BATCH = 500;
/** What a request may hold of its 2 MiB, beside the frame of the batch. Bytes. */
export const BATCH_BYTES = 2 * 1024 * 1024 - 1024;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

/** Events as they are sent, in order: each time as many as a request takes. One that is larger than a request is alone. */
export function batchesOf<Event>(events: readonly Event[]): Event[][] {
  const batches: Event[][] = [];
  let room = 0;
  for (const event of events) {
    const size = bytesOf(event);
    const last = batches.at(-1);
    if (last && last.length < BATCH && size <= room) {
      last.push(event);
      room -= size;
    } else {
      batches.push([event]);
      room = BATCH_BYTES - size;
    }
  }
  return batches;
}

/** The place of the first event that no request holds; -1: there is none. */
export const tooLarge = (events: readonly unknown[]): number =>
  events.findIndex((event) => bytesOf(event) > BATCH_BYTES);
