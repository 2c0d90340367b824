import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './tile.module.css';

interface TileProps {
  label: string;
  value: ReactNode;
  /** A small line below: what it is compared with. */
  note?: ReactNode;
  /** Of the value: something is wrong. */
  color?: string;
}

/** One figure with its name. */
export function Tile({ label, value, note, color }: TileProps) {
  return (
    <Paper withBorder p="sm">
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={650} c={color} className={classes.value} component="div">
        {value}
      </Text>
      {note !== undefined && (
        <Text size="xs" c="dimmed" component="div">
          {note}
        </Text>
      )}
    </Paper>
  );
}
