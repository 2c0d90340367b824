import { Fragment, useSyncExternalStore } from 'react';
import { serverNow } from '../api/clock.ts';
import { dueText, exactPieces, exactText, relativeText, shortPieces } from '../lib/time.ts';
import { useExactTimes } from './exact-times.ts';
import classes from './relative-time.module.css';

const EVERY_MS = 15_000;
/** What is to come in so long or later is planned, so its exact time is told. Milliseconds. */
const PLANNED_MS = 3_600_000;
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

interface RelativeTimeProps {
  at: string | null | undefined;
  /** It comes by itself at that time: when that has come it is "due now", and not "just now". */
  isDue?: boolean;
}

/**
 * "3 hours ago", with the exact time on hover, or instead where "Exact times" is on; "in 2 days, 5 Mar 2026, 09:00 CET" for what is
 * planned; a dash for what did not happen.
 */
export function RelativeTime({ at, isDue = false }: RelativeTimeProps) {
  const current = useNow();
  const isExact = useExactTimes();
  if (at === null || at === undefined) return <>–</>;
  const date = new Date(at);
  const pieces = isExact ? exactPieces(date) : piecesOf(date, current, isDue ? dueText : relativeText);
  return (
    <time className={classes.time} dateTime={at} title={exactText(date)}>
      {pieces.map((piece, i) => (
        <Fragment key={piece}>
          {i > 0 && ' '}
          <span className={classes.piece}>{i < pieces.length - 1 ? `${piece},` : piece}</span>
        </Fragment>
      ))}
    </time>
  );
}

/** What stands for a time: pieces that may stand below each other. */
function piecesOf(at: Date, now: number, textOf: typeof relativeText): string[] {
  const text = textOf(at.getTime(), now);
  return at.getTime() - now < PLANNED_MS ? [text] : [text, ...shortPieces(at)];
}
