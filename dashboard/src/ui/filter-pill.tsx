import { Pill } from '@mantine/core';
import type { ReactNode } from 'react';

interface FilterPillProps {
  /** What the list is narrowed to: "Only on “Apples”". */
  text: ReactNode;
  /** What is shown without it: "Comments of all posts". */
  clear: string;
  onRemove: () => void;
}

/** What a list is narrowed to by a link, and the way out. */
export function FilterPill({ text, clear, onRemove }: FilterPillProps) {
  return (
    <Pill
      size="md"
      withRemoveButton
      onRemove={onRemove}
      removeButtonProps={{ 'aria-label': clear, tabIndex: 0, 'aria-hidden': undefined }}
    >
      {text}
    </Pill>
  );
}
