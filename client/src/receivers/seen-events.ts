/**
 * Remembers which events a receiver has handled, by their key. Deliveries come at least once and may come at the same time
 * to several processes: use a store that they share, such as a table with a unique key.
 */
export interface SeenEvents {
  /**
   * Claims a key: `new` if it is to be handled now, `done` if it was, `busy` if somebody is at it (the service is
   * told to come again later). A claim whose process died must end by itself.
   */
  begin(key: string): Promise<'new' | 'done' | 'busy'> | 'new' | 'done' | 'busy';
  /** It was handled. */
  done(key: string): Promise<void> | void;
  /** It was not handled: the next delivery of it is `new` again. */
  failed(key: string): Promise<void> | void;
}

/** In memory of one process, the last `most` events: for one process, and for tests. What it knows ends with the process. */
export function seenInMemory(most = 10_000): SeenEvents {
  const known = new Map<string, 'busy' | 'done'>();
  return {
    begin(key) {
      const state = known.get(key);
      if (state !== undefined) return state;
      known.set(key, 'busy');
      if (known.size > most) {
        for (const [oldest, was] of known) {
          if (was === 'busy') continue;
          known.delete(oldest);
          break;
        }
      }
      return 'new';
    },
    done: (key) => void known.set(key, 'done'),
    failed: (key) => void known.delete(key),
  };
}
