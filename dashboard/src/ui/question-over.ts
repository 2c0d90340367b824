import { useRef, useState } from 'react';
import { confirm, type Question } from './confirm.tsx';

/** Asks over a dialog; Escape must not close that one while `isAsking`. Who asks again meanwhile gets the same answer. */
export function useQuestionOver(): { isAsking: boolean; ask: (question: Question) => Promise<boolean> } {
  const [isAsking, setAsking] = useState(false);
  // Not by the state, which is of the last rendering: Back right after an answer would be taken for one more while it is asked.
  const asked = useRef<Promise<boolean>>(undefined);
  const askAnew = async (question: Question): Promise<boolean> => {
    setAsking(true);
    try {
      return await confirm(question);
    } finally {
      asked.current = undefined;
      // Not before the key that answered was handled: the dialog below would take it, too.
      window.setTimeout(() => {
        if (asked.current === undefined) setAsking(false);
      });
    }
  };
  return { isAsking, ask: (question) => (asked.current ??= askAnew(question)) };
}
