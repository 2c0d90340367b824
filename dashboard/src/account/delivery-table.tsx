import { Badge, Group, Stack, Text } from '@mantine/core';
import type { Delivery, ListedDelivery, WebhookEndpoint } from '@posthorn/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { serverNow } from '../api/clock.ts';
import { OfAccount } from './account-name.tsx';
import { DeliveryLink } from './links.tsx';
import { CursorList } from '../ui/cursor-list.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { useEndpointName, useFreshEndpoints } from './use-endpoint-names.ts';
import { waitsFor } from './waits-for.ts';
import { StatusBadge } from './status-badge.tsx';
import { deliveriesQuery, type DeliveryFilter } from './delivery-queries.ts';
import { kindOf } from './kinds.ts';
import { LookFurther } from './look-further.tsx';

const columnsOf = (ofOneEndpoint: boolean, endpoint: WebhookEndpoint | undefined): Column<ListedDelivery>[] => [
  {
    header: 'Event',
    grow: true,
    cell: (delivery) => (
      <Stack gap={0}>
        <Group gap="xs">
          <DeliveryLink id={delivery.id}>{delivery.event}</DeliveryLink>
          {delivery.isTest && <Badge variant="default">test</Badge>}
          {delivery.replayOf !== null && <Badge variant="default">replay</Badge>}
        </Group>
        {!ofOneEndpoint && <Where delivery={delivery} />}
        {!ofOneEndpoint && <OfAccount id={delivery.accountId} />}
      </Stack>
    ),
  },
  {
    header: 'Status',
    cell: ({ status, lastReplay }) => (
      <Stack gap={0} align="flex-start">
        <StatusBadge status={status} />
        {lastReplay && (
          <Text size="xs" c="dimmed">
            replayed: {lastReplay.status.toLowerCase()}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    header: 'Cause',
    cell: ({ errorClass, discardReason }) =>
      errorClass && (
        <Stack gap={0}>
          <Text size="sm">{errorClass}</Text>
          {discardReason !== null && (
            <Text size="xs" c="dimmed" maw={200} truncate>
              {discardReason}
            </Text>
          )}
        </Stack>
      ),
  },
  { header: 'Attempts', align: 'right', cell: ({ attempts }) => attempts },
  {
    header: 'Next',
    cell(delivery) {
      if (!isUnsent(delivery)) return null;
      return endpoint ? nextOf(delivery, endpoint) : <Next delivery={delivery} />;
    },
  },
  { header: 'Made', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
];

/** Not under way, and not over: it has a time, or is held. */
const isUnsent = ({ nextAttemptAt, status }: Delivery): boolean => nextAttemptAt !== null || status === 'HELD';

const WAITS = { RESUME: 'when it is resumed', OPENING: 'when it is open again' } as const;

function nextOf(delivery: Delivery, endpoint: Parameters<typeof waitsFor>[1]): ReactNode {
  const what = waitsFor(delivery, endpoint, serverNow());
  return what === null ? <RelativeTime at={delivery.nextAttemptAt} isDue /> : WAITS[what];
}

const Next = ({ delivery }: { delivery: Delivery }) =>
  nextOf(delivery, useEndpointName(delivery.endpointId, kindOf(delivery.event), true));

/** To which address. */
const Where = ({ delivery: { endpointUrl, endpointIsDeleted } }: { delivery: ListedDelivery }) => (
  <Text size="xs" c="dimmed" lineClamp={1} style={{ overflowWrap: 'anywhere' }}>
    {endpointIsDeleted && 'deleted: '}
    {endpointUrl}
  </Text>
);

const NOTHING = (
  <EmptyState
    title="No deliveries"
    text="Nothing was sent yet. Send a test event from an endpoint, or wait for the first event."
  />
);

interface DeliveryTableProps {
  filter: DeliveryFilter;
  query: ReturnType<typeof useDeliveries>;
  /** All of them are for this one. */
  endpoint?: WebhookEndpoint;
  empty?: ReactNode;
}

/** Deliveries that fit a filter, newest first. `live`: renewed by itself. */
export const useDeliveries = (filter: DeliveryFilter, limit: number, live = true) =>
  useInfiniteQuery(deliveriesQuery(filter, limit, live));

/** Deliveries as `useDeliveries` reads them. */
export function DeliveryTable({ filter, query, endpoint, empty = NOTHING }: DeliveryTableProps) {
  // A page that looks for what is rare may be empty and yet go on: see "Look and replay" in the documentation.
  const goesOn = query.hasNextPage && query.data?.pages.every(({ data }) => data.length === 0);
  const isWaiting = query.data?.pages.some(({ data }) => data.some(isUnsent)) === true;
  useFreshEndpoints(filter.accountId, endpoint === undefined && isWaiting);
  return (
    <CursorList
      label="Deliveries"
      columns={columnsOf(filter.endpointId !== undefined, endpoint)}
      query={query}
      queryKey={['deliveries', filter]}
      rowKey={({ id }) => id}
      empty={
        goesOn ? <LookFurther onLook={() => void query.fetchNextPage()} isLooking={query.isFetchingNextPage} /> : empty
      }
    />
  );
}
