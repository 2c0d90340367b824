import { useSyncExternalStore } from 'react';
import { serverNow } from '../api/clock.ts';
import { exactText, relativeText } from '../lib/time.ts';

const EVERY_MS = 15_000;
const listeners = new Set<() => void>();
let now = serverNow();
let timer: number | undefined;

/** One timer for all the times on a page. */
function listen(listener: () => void): () => void {
  listeners.add(listener);
  // The clock stood still while nothing showed a time.
  if (timer === undefined) now = serverNow();
  timer ??= window.setInterval(() => {
    now = serverNow();
    for (const each of listeners) each();
  }, EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

/** The present time, renewed four times a minute. Milliseconds. */
export const useNow = (): number => useSyncExternalStore(listen, () => now);

/** "3 hours ago", with the exact time on hover; a dash for what did not happen. */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const current = useNow();
  if (at === null || at === undefined) return <>–</>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={exactText(date)}>
      {relativeText(date.getTime(), current)}
    </time>
  );
}
