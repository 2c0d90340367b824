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

let isAsking = false;

/** Goes on once it may. Who presses Back again while it is asked is not asked twice. */
async function askAndGo(go: () => void): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  try {
    if (await mayLeave()) go();
  } finally {
    isAsking = false;
  }
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
    const guard: Guard = { holds: () => latest.current.holds(), ask: () => latest.current.ask() };
    guards.add(guard);
    const unblock = history.block({
      enableBeforeUnload: () => guard.holds() && !isLeftForGood(),
      async blockerFn({ currentLocation: from, nextLocation: to, action }) {
        if (from.pathname === to.pathname || !guard.holds()) return false;
        if (action === 'PUSH' || action === 'REPLACE') return latest.current.links && !(await guard.ask());
        const steps = to.state.__TSR_index - from.state.__TSR_index;
        void askAndGo(() => history.go(steps, { ignoreBlocker: true }));
        return true;
      },
    });
    return () => {
      guards.delete(guard);
      unblock();
    };
  }, [history]);
}
