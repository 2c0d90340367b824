/** A reading without an answer for so long holds up no further ones. Milliseconds. */
const PATIENCE_MS = 1000;

/**
 * Looks things up by their keys, in one reading for all that are asked for while another one runs (up to a second). What is
 * given is not older than the asking; undefined: it is not there. A failed reading is told to those who shared it.
 */
export function lookUpTogether<K, V>(
  read: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
): (key: K) => Promise<V | undefined> {
  let before: Promise<unknown> = Promise.resolve();
  let next: { keys: Set<K>; found: Promise<ReadonlyMap<K, V>> } | null = null;
  const begin = () => {
    const keys = new Set<K>();
    const found = before
      .then(() => new Promise(setImmediate))
      .then(() => {
        next = null;
        const reading = read([...keys]);
        before = withinPatience(reading);
        return reading;
      });
    return { keys, found };
  };
  return async (key) => {
    const { keys, found } = (next ??= begin());
    keys.add(key);
    return (await found).get(key);
  };
}

/** Resolves when the reading has ended, or after a second. */
function withinPatience(reading: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, PATIENCE_MS);
  timer.unref();
  const end = (): void => {
    clearTimeout(timer);
    resolve();
  };
  reading.then(end, end);
  return promise;
}
