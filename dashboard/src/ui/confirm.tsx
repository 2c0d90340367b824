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
  /** Nothing brings it back: the button is red. Default true. */
  destructive?: boolean;
}

/** Asks before something that cannot be undone. Resolves with false when the dialog is left otherwise. */
export function confirm({ title, text, action, destructive = true }: Question): Promise<boolean> {
  return new Promise((done) => {
    modals.openConfirmModal({
      title,
      children: typeof text === 'string' ? <Text size="sm">{text}</Text> : text,
      labels: { confirm: action, cancel: 'Cancel' },
      confirmProps: destructive ? { color: 'red' } : {},
      onConfirm: () => done(true),
      onClose: () => done(false),
    });
  });
}
