import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import { CONTENT_ID, isFocusLost } from '../ui/lost-focus.ts';
import { told } from './told.ts';

export type Status = 'VISIBLE' | 'HIDDEN';

export interface Decision {
  ids: string[];
  status: Status;
  reason?: string;
}

/** The element of a comment in the list. */
export const cardId = (commentId: string): string => `comment-${commentId}`;

/** After a decision the button that was pressed may be gone; the focus goes to where the moderator is, not to the page. */
function useFocusAfter(decisions: number, currentId: string | undefined): void {
  const last = useRef(decisions);
  useEffect(() => {
    if (last.current === decisions) return;
    last.current = decisions;
    if (!isFocusLost()) return;
    const card = currentId === undefined ? null : document.getElementById(cardId(currentId));
    card?.scrollIntoView({ block: 'nearest' });
    (card ?? document.getElementById(CONTENT_ID))?.focus({ preventScroll: true });
  }, [decisions, currentId]);
}

interface DecideOptions {
  /** Where the moderator is. */
  currentId: string | undefined;
  onDecided: () => void;
}

/** Sends decisions, one at a time: `send` says whether it did, and does not while one is under way or the list is old. */
export function useDecide({ currentId, onDecided }: DecideOptions) {
  const queryClient = useQueryClient();
  const [decisions, setDecisions] = useState(0);
  // Known at once, also to a key that is pressed before the page is drawn anew.
  const isBusy = useRef(false);
  const mutation = useMutation({
    mutationFn: ({ ids, status, reason }: Decision) =>
      posthorn.moderateComments({ body: { ids, status, ...(reason ? { reason } : {}) } }),
    async onSuccess({ data }, { status }) {
      onDecided();
      await queryClient.invalidateQueries({ queryKey: ['comments'] });
      await queryClient.invalidateQueries({ queryKey: ['moderation-log'] });
      // Who reads that it is done presses the next key: not before that is taken.
      isBusy.current = false;
      setDecisions((before) => before + 1);
      notifyDone(told(data, status));
    },
    onSettled() {
      isBusy.current = false;
    },
  });
  useFocusAfter(decisions, currentId);
  const send = (decision: Decision): boolean => {
    if (isBusy.current) return false;
    isBusy.current = true;
    mutation.mutate(decision);
    return true;
  };
  return { isDeciding: mutation.isPending, send };
}
