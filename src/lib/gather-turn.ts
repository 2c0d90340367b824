interface Asking<K, V> {
  key: K;
  done: (value: V) => void;
  failed: (error: unknown) => void;
}

/**
 * Asks once for all that is asked for in one turn of the event loop: `ask` answers in the order of the keys. What is
 * found is never older than the asking, and nothing is remembered. A failure is told to all of that turn.
 */
export function gatherTurn<K, V>(ask: (keys: readonly K[]) => Promise<readonly V[]>): (key: K) => Promise<V> {
  let asking: Asking<K, V>[] = [];
  const askAll = async (): Promise<void> => {
    const all = asking;
    asking = [];
    try {
      const values = await ask(all.map(({ key }) => key));
      for (const [i, { done }] of all.entries()) done(values[i] as V);
    } catch (error) {
      for (const { failed } of all) failed(error);
    }
  };
  return (key) =>
    new Promise((done, failed) => {
      if (asking.length === 0) setImmediate(() => void askAll());
      asking.push({ key, done, failed });
    });
}
