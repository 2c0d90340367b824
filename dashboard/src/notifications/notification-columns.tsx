import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import type { Operations } from '@posthorn/client';
import type { ReactNode } from 'react';
import type { Column } from '../ui/data-table.tsx';
import { TextLink } from '../ui/links.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { Sentence } from '../ui/sentence.tsx';
import { READ_BUTTON } from './next-read-button.ts';
import { ToldEndpoint } from './told-endpoint.tsx';

type Notification = Operations['listNotifications']['item'];

interface Told {
  /** Of the account that trades are looked at by; undefined: they are named without a link. */
  tradePath: string | undefined;
  onRead: (notification: Notification) => void;
}

export const columnsOf = ({ tradePath, onRead }: Told): Column<Notification>[] => [
  {
    header: 'What',
    grow: true,
    cell: (notification) => (
      <Stack gap={2} style={{ overflowWrap: 'anywhere' }}>
        <Group gap="xs">
          <Text size="sm" fw={notification.readAt === null ? 600 : 400}>
            <Sentence>{notification.text}</Sentence>
          </Text>
          {notification.readAt === null && <Badge size="sm">new</Badge>}
        </Group>
        <Text size="xs" c="dimmed" component="div">
          {subjectOf(notification, tradePath) ?? notification.event}
        </Text>
      </Stack>
    ),
  },
  { header: 'When', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  {
    header: 'Actions',
    cell: (notification) =>
      notification.readAt === null && (
        <Button
          size="xs"
          variant="default"
          aria-label={`Mark as read: ${notification.text}`}
          {...{ [READ_BUTTON]: true }}
          onClick={() => onRead(notification)}
        >
          Mark as read
        </Button>
      ),
  },
];

/** The endpoint, trade or offer that it is about; null: none of them. */
function subjectOf(
  { accountId, endpointId, tradeSessionId, offerId }: Notification,
  tradePath: string | undefined,
): ReactNode {
  if (accountId !== undefined && endpointId !== undefined) {
    return <ToldEndpoint id={endpointId} accountId={accountId} />;
  }
  if (tradeSessionId === null) return offerId === null ? null : `offer ${offerId}`;
  if (tradePath === undefined) return `trade ${tradeSessionId}`;
  return (
    <TextLink to="/a/$accountId/trades/$id" params={{ accountId: tradePath, id: tradeSessionId }} underline="always">
      trade {tradeSessionId}
    </TextLink>
  );
}
