import { Loader, Text } from '@mantine/core';
import { failureText } from '../api/error-text.ts';
import { Check, CircleAlert, CloudOff, Pencil } from '../ui/icons.ts';
import { useNow } from '../ui/relative-time.tsx';
import { relativeText } from '../lib/time.ts';
import type { SaveState } from './draft-keeper.ts';
import classes from './save-indicator.module.css';

/** Whether what is written is saved, in words; read out when it changes. */
export function SaveIndicator({ state, savesByItself }: { state: SaveState; savesByItself: boolean }) {
  const now = useNow();
  const [icon, text] = shown(state, savesByItself, now);
  const isBad = ['offline', 'refused', 'conflict'].includes(state.kind);
  return (
    <output className={classes.frame} aria-label="Saving">
      {icon}
      <Text size="sm" c={isBad ? 'var(--mantine-color-error)' : 'dimmed'}>
        {text}
      </Text>
    </output>
  );
}

function shown(state: SaveState, savesByItself: boolean, now: number) {
  switch (state.kind) {
    case 'saving':
      return [<Loader key="i" size={14} />, 'Saving …'] as const;
    case 'dirty':
      return [
        <Pencil key="i" size={15} aria-hidden />,
        savesByItself ? 'Not saved yet' : 'Changes are not public yet',
      ] as const;
    case 'offline':
      return [<CloudOff key="i" size={15} aria-hidden />, 'Offline: kept in this browser, tried again'] as const;
    case 'refused':
      return [<CircleAlert key="i" size={15} aria-hidden />, `Not saved: ${reasonOf(state.error)}`] as const;
    case 'conflict':
      return [<CircleAlert key="i" size={15} aria-hidden />, 'Not saved: somebody else changed the post'] as const;
    case 'saved':
      return [
        <Check key="i" size={15} aria-hidden />,
        state.at === null ? 'Saved' : `Saved ${relativeText(state.at, now)}`,
      ] as const;
  }
}

const reasonOf = (error: unknown): string => {
  if (typeof error === 'string') return error;
  const { title, details } = failureText(error);
  return details[0] ?? title;
};
