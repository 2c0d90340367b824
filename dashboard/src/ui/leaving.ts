import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { isLeftForGood } from '../api/session.ts';

interface Guard {
  /** Whether something would be lost now. */
  holds: () => boolean;
  /** Whether that may be left behind all the same. It may save first, or ask. */
  ask: () => Promise<boolean>;
}

const guards = new Set<Guard>();

/** Whether what is open can be left now. It may save first, or ask. */
export async function mayLeave(): Promise<boolean> {
  for (const guard of guards) if (guard.holds() && !(await guard.ask())) return false;
  return true;
}

/** Counts the ways out that were tried: of two that wait for one answer, the later one is gone. */
let waysOut = 0;

let isAsking = false;

/** Goes on once it may, unless another way out was taken meanwhile. Who presses Back again while it is asked is not asked twice. */
async function askAndGo(go: () => void): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  const mine = ++waysOut;
  try {
    if ((await mayLeave()) && mine === waysOut) go();
  } finally {
    isAsking = false;
  }
}

/** Whether a link must not be followed, or another way out was taken meanwhile. */
async function isKept(guard: Guard): Promise<boolean> {
  const mine = ++waysOut;
  return !(await guard.ask()) || mine !== waysOut;
}

interface AskBeforeLeaving extends Guard {
  /** Whether links are ways out, too: not of a dialog, where only what it leads to itself is in reach. */
  links: boolean;
}

/**
 * While a page or dialog holds what may not be saved, every way out of it waits for `ask`, and the browser asks before its window is
 * closed. Back stays at the address while it is asked: the browser has gone by then, so it is sent back, and on again when it may.
 */
export function useAskBeforeLeaving(asked: AskBeforeLeaving): void {
  const { history } = useRouter();
  const latest = useRef(asked);
  useEffect(() => {
    latest.current = asked;
  });
  useEffect(() => {
    let asking: Promise<boolean> | undefined;
    const guard: Guard = {
      holds: () => latest.current.holds(),
      // Another way out that is tried meanwhile waits for the same answer.
      ask: () => (asking ??= latest.current.ask().finally(() => (asking = undefined))),
    };
    guards.add(guard);
    const unblock = history.block({
      enableBeforeUnload: () => guard.holds() && !isLeftForGood(),
      async blockerFn({ currentLocation: from, nextLocation: to, action }) {
        if (from.pathname === to.pathname || !guard.holds()) return false;
        if (action === 'PUSH' || action === 'REPLACE') return latest.current.links && isKept(guard);
        const steps = to.state.__TSR_index - from.state.__TSR_index;
        void askAndGo(() => {
          // From elsewhere so many steps lead to another page.
          const { pathname, state } = history.location;
          if (pathname !== from.pathname || state.__TSR_index !== from.state.__TSR_index) return;
          history.go(steps, { ignoreBlocker: true });
        });
        return true;
      },
    });
    return () => {
      guards.delete(guard);
      unblock();
    };
  }, [history]);
}
