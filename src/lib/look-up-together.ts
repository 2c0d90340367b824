/**
 * Looks things up by their keys, in one reading for all that are asked for while another one runs. What is given is not older
 * than the asking; undefined: it is not there. A failed reading is told to those who shared it.
 */
export function lookUpTogether<K, V>(
  read: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
): (key: K) => Promise<V | undefined> {
  let running: Promise<unknown> = Promise.resolve();
  let next: { keys: Set<K>; found: Promise<ReadonlyMap<K, V>> } | null = null;
  const begin = () => {
    const keys = new Set<K>();
    const found = running
      .then(() => new Promise(setImmediate))
      .then(() => {
        next = null;
        return read([...keys]);
      });
    running = found.catch(() => undefined);
    return { keys, found };
  };
  return async (key) => {
    const { keys, found } = (next ??= begin());
    keys.add(key);
    return (await found).get(key);
  };
}
