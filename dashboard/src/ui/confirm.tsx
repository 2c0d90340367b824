import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';

export interface Question {
  /** "Delete this post?" */
  title: string;
  /** What will be, and whether it can be undone. */
  text: ReactNode;
  /** The words of the button that does it: "Delete". */
  action: string;
  /** The words of the button that leaves all as it is, where "Cancel" might be taken for the other. */
  keep?: string;
  /** Nothing brings it back: the button is red. Default true. */
  destructive?: boolean;
}

/** Asks before something that cannot be undone. Resolves with false when the dialog is left otherwise. */
export function confirm({ title, text, action, keep = 'Cancel', destructive = true }: Question): Promise<boolean> {
  return new Promise((done) => {
    modals.openConfirmModal({
      title,
      children: typeof text === 'string' ? <Text size="sm">{text}</Text> : text,
      labels: { confirm: action, cancel: keep },
      confirmProps: destructive ? { color: 'red' } : {},
      onConfirm: () => done(true),
      onClose: () => done(false),
    });
  });
}
