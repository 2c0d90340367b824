import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';

type Question = () => Promise<boolean>;

const always: Question = () => Promise.resolve(true);
let question: Question = always;

/** Whether the page that is open can be left now. It may save first, or ask. */
export const mayLeave: Question = () => question();

/**
 * While a page holds what may not be saved: every way out of it waits for `ask`, which has to be the same each time. `enableBeforeUnload`:
 * whether the browser is to ask when the window is closed.
 */
export function useAskBeforeLeaving(ask: Question, enableBeforeUnload: () => boolean = () => false): void {
  useBlocker({
    enableBeforeUnload,
    shouldBlockFn: async ({ current, next }) => current.pathname !== next.pathname && !(await ask()),
  });
  useEffect(() => {
    question = ask;
    return () => {
      question = always;
    };
  }, [ask]);
}
