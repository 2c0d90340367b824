import { Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface PageProps {
  /** Also the title of the browser's tab. */
  title: string;
  /** In place of the title in the page itself: with a badge, as a field. */
  heading?: ReactNode;
  /** One sentence: what this is. */
  text?: ReactNode;
  /** Buttons at the right. */
  actions?: ReactNode;
  /** Above the title: the way back. */
  above?: ReactNode;
  children: ReactNode;
}

/** Every page: title, one sentence, buttons, content. */
export function Page({ title, heading, text, actions, above, children }: PageProps) {
  useDocumentTitle(`${title} · Posthorn`);
  return (
    <Stack gap="md">
      {above}
      <Group justify="space-between" align="flex-start" gap="sm">
        <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
          <Title order={1}>{heading ?? title}</Title>
          {text !== undefined && (
            <Text c="dimmed" size="sm" component="div">
              {text}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
