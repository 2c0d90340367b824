import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Inbox } from './icons.ts';

/** A list without items: why it is empty, and what to do about it. */
export function EmptyState({ title, text, action }: { title: string; text?: ReactNode; action?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" py={48} px="md">
      <Inbox size={36} aria-hidden opacity={0.5} />
      <Text fw={600}>{title}</Text>
      {text !== undefined && (
        <Text c="dimmed" size="sm" ta="center" maw={440}>
          {text}
        </Text>
      )}
      {action}
    </Stack>
  );
}
