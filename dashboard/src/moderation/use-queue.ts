import { useDisclosure } from '@mantine/hooks';
import type { Operations } from '@posthorn/client';
import { useState } from 'react';
import { useKeys } from '../ui/use-keys.ts';
import { afterDecision } from './after-decision.ts';
import { cardId, type Decision, type Status, useDecide } from './use-decide.ts';

export type ManagedComment = Operations['listManagedComments']['item'];

/** Where a moderator is. */
interface Place {
  id: string;
  /** Where to go on when that leaves the list. */
  next?: string | undefined;
}

export interface Queue {
  /** Of the comment that keys act on. */
  currentId: string | undefined;
  setCurrent: (id: string) => void;
  chosen: ReadonlySet<string>;
  toggle: (id: string) => void;
  clear: () => void;
  /** There is nothing to choose. */
  isEmpty: boolean;
  chooseAll: () => void;
  /** The comment whose context is shown. */
  openId: string | undefined;
  toggleContext: (id: string) => void;
  decide: (decision: Decision) => void;
  isDeciding: boolean;
  /** What the dialog for a reason asks about; null when it is closed. */
  asking: Status | null;
  ask: (status: Status | null) => void;
  help: { isOpen: boolean; open: () => void; close: () => void };
}

/** Where a moderator is in the list, which comments are chosen, and what is decided: by mouse and by keys. */
export function useQueue(comments: readonly ManagedComment[] | undefined): Queue {
  const [place, setPlace] = useState<Place>();
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [openId, setOpenId] = useState<string>();
  const [asking, ask] = useState<Status | null>(null);
  const [isHelpOpen, help] = useDisclosure(false);
  const ids = comments?.map((c) => c.id) ?? [];
  // Nothing is decided that is not seen: what was ticked on another page, or under another filter, does not count.
  const chosen = new Set(ids.filter((id) => ticked.has(id)));
  const currentId = [place?.id, place?.next].find((id) => id !== undefined && ids.includes(id));
  const index = currentId === undefined ? -1 : ids.indexOf(currentId);
  const setCurrent = (id: string): void => setPlace({ id });
  const { isDeciding, send } = useDecide({
    currentId,
    onDecided() {
      setTicked(new Set());
      ask(null);
    },
  });
  const decide = (decision: Decision): void => {
    const at = decision.ids.length === 1 ? decision.ids[0] : currentId;
    const isSent = send(decision);
    if (isSent && at !== undefined) setPlace({ id: at, next: afterDecision(ids, decision.ids, at) });
  };
  const toggle = (id: string): void =>
    setTicked((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  const toggleContext = (id: string): void => setOpenId((before) => (before === id ? undefined : id));
  const step = (by: number): void => {
    const next = ids[index < 0 ? 0 : Math.min(ids.length - 1, Math.max(0, index + by))];
    if (next === undefined) return;
    setCurrent(next);
    document.getElementById(cardId(next))?.scrollIntoView({ block: 'nearest' });
  };
  const key = (status: Status) => () => {
    if (chosen.size > 0) ask(status);
    else if (currentId !== undefined) decide({ ids: [currentId], status });
  };
  const onCurrent = (act: (id: string) => void) => () => {
    if (currentId !== undefined) act(currentId);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    x: onCurrent(toggle),
    o: onCurrent(toggleContext),
    h: key('HIDDEN'),
    v: key('VISIBLE'),
    '?': help.open,
  });
  return {
    currentId,
    setCurrent,
    chosen,
    toggle,
    clear: () => setTicked(new Set()),
    isEmpty: ids.length === 0,
    chooseAll: () => setTicked(new Set(ids)),
    openId,
    toggleContext,
    decide,
    isDeciding,
    asking,
    ask,
    help: { isOpen: isHelpOpen, open: help.open, close: help.close },
  };
}
