import { useDisclosure } from '@mantine/hooks';
import type { Operations } from '@posthorn/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import { useKeys } from '../ui/use-keys.ts';

export type ManagedComment = Operations['listManagedComments']['item'];
type Status = ManagedComment['status'];

interface Decision {
  ids: string[];
  status: Status;
  reason?: string;
}

const told = (changed: number, asked: number, status: Status): string => {
  const done = status === 'HIDDEN' ? 'hidden' : 'visible';
  if (asked === 1) return `The comment is ${done}.`;
  return `${changed} of ${asked} comments are now ${done}; the others were already, or are gone.`;
};

export interface Queue {
  /** Of the comment that keys act on. */
  currentId: string | undefined;
  setCurrent: (id: string) => void;
  chosen: ReadonlySet<string>;
  toggle: (id: string) => void;
  clear: () => void;
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
  const queryClient = useQueryClient();
  const [current, setCurrent] = useState<string>();
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [openId, setOpenId] = useState<string>();
  const [asking, ask] = useState<Status | null>(null);
  const [isHelpOpen, help] = useDisclosure(false);
  const ids = comments?.map((c) => c.id) ?? [];
  // Nothing is decided that is not seen: what was ticked on another page, or under another filter, does not count.
  const chosen = new Set(ids.filter((id) => ticked.has(id)));
  const index = current === undefined ? -1 : ids.indexOf(current);
  const currentId = ids[index];

  const mutation = useMutation({
    mutationFn: ({ ids: decided, status, reason }: Decision) =>
      posthorn.moderateComments({ body: { ids: decided, status, ...(reason ? { reason } : {}) } }),
    async onSuccess({ data }, { ids: decided, status }) {
      notifyDone(told(data.filter((d) => d.outcome === 'CHANGED').length, decided.length, status));
      setTicked(new Set());
      ask(null);
      await queryClient.invalidateQueries({ queryKey: ['comments'] });
      await queryClient.invalidateQueries({ queryKey: ['moderation-log'] });
    },
  });
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
    document.getElementById(`comment-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  const key = (status: Status) => () => {
    if (chosen.size > 0) ask(status);
    else if (currentId !== undefined) mutation.mutate({ ids: [currentId], status });
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
    chooseAll: () => setTicked(new Set(ids)),
    openId,
    toggleContext,
    decide: mutation.mutate,
    isDeciding: mutation.isPending,
    asking,
    ask,
    help: { isOpen: isHelpOpen, open: help.open, close: help.close },
  };
}
