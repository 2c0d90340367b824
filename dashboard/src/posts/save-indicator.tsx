import { Loader, Text } from '@mantine/core';
import { failureText } from '../api/error-text.ts';
import { Check, CircleAlert, CloudOff, Pencil } from '../ui/icons.ts';
import { useNow } from '../ui/relative-time.tsx';
import { sentenceOf } from '../lib/format.ts';
import { relativeText } from '../lib/time.ts';
import type { SaveState } from './draft-keeper.ts';
import classes from './save-indicator.module.css';

/** Whether what is written is saved, in words; read out when it changes; how long ago it was saved is not. */
export function SaveIndicator({ state, savesByItself }: { state: SaveState; savesByItself: boolean }) {
  const now = useNow();
  const [icon, text] = shown(state, savesByItself);
  const isBad = ['offline', 'refused', 'conflict'].includes(state.kind);
  return (
    <div className={classes.frame}>
      {icon}
      <Text size="sm" c={isBad ? 'var(--mantine-color-error)' : 'dimmed'}>
        <output aria-label="Saving">{text}</output>
        {state.kind === 'saved' && state.at !== null && ` ${relativeText(state.at, now)}`}
      </Text>
    </div>
  );
}

function shown(state: SaveState, savesByItself: boolean) {
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
      return [<CircleAlert key="i" size={15} aria-hidden />, 'Not saved: the post was changed elsewhere'] as const;
    case 'saved':
      return [<Check key="i" size={15} aria-hidden />, 'Saved'] as const;
  }
}

/** Why nothing is saved, as the indicator has it; undefined: nothing is in the way. */
export const faultOfSave = (state: SaveState): string | undefined =>
  state.kind === 'refused' || state.kind === 'offline' || state.kind === 'conflict'
    ? sentenceOf(shown(state, true)[1])
    : undefined;

const reasonOf = (error: unknown): string => {
  if (typeof error === 'string') return error;
  const { title, details } = failureText(error);
  return details[0] ?? title;
};
