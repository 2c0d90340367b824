import { Button, Group } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import classes from './filter-bar.module.css';
import { ChevronDown } from './icons.ts';

/** Filters of a list, side by side; on a phone behind a button, so that the list begins on the first screen. `set`: how many are set. */
export function FilterBar({ set, children }: { set: number; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <Button
        hiddenFrom="sm"
        variant="default"
        aria-expanded={isOpen}
        aria-controls={id}
        rightSection={<ChevronDown size={16} aria-hidden />}
        onClick={() => setOpen(!isOpen)}
      >
        {set === 0 ? 'Filters' : `Filters (${set})`}
      </Button>
      <Group id={id} gap="xs" align="flex-end" className={isOpen ? undefined : classes.closed}>
        {children}
      </Group>
    </>
  );
}
