import { Box, Group, Stack, Text } from '@mantine/core';
import type { RoutedEndpoint } from '@posthorn/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { DeliveryLink } from '../account/links.tsx';
import { NamedEndpoint } from '../account/named-endpoint.tsx';
import { StatusBadge } from '../account/status-badge.tsx';
import { CursorList } from '../ui/cursor-list.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Sentence } from '../ui/sentence.tsx';
import { useScope } from '../account/scope.ts';
import { useFreshEndpoints } from '../account/use-endpoint-names.ts';
import { routingQuery } from './routing-query.ts';
import { SendAfterwards } from './send-afterwards.tsx';

const columnsOf = (eventId: string): Column<RoutedEndpoint>[] => [
  {
    header: 'Endpoint',
    cell: ({ endpointId, accountId, endpointUrl, endpointIsDeleted, kind }) =>
      endpointId === null ? (
        <Text size="sm">{accountId === null ? 'nobody' : 'no endpoint of the account'}</Text>
      ) : (
        <Box maw={320} style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
          <NamedEndpoint
            id={endpointId}
            kind={kind ?? 'MERCHANT'}
            accountId={accountId ?? undefined}
            url={endpointUrl}
            isDeleted={endpointIsDeleted}
          />
        </Box>
      ),
  },
  {
    header: 'Why',
    grow: true,
    cell: ({ endpointId, kind, verdicts }) => (
      <Stack gap="xs">
        {verdicts.map(({ webhook, code, message, deliveries }) => (
          <Stack gap={2} key={webhook}>
            <Group gap="xs">
              {webhook !== null && <strong>{webhook}</strong>}
              <StatusBadge status={code} />
            </Group>
            <Text size="sm">
              <Sentence>{message}</Sentence>
            </Text>
            <Group gap="md">
              {deliveries.map(({ id, accountId, replayOf }) => (
                <DeliveryLink key={id} id={id} accountId={accountId}>
                  {replayOf === null ? 'the delivery' : 'a replay'}
                </DeliveryLink>
              ))}
              {endpointId !== null && kind !== null && webhook !== null && CAN_SEND.has(code) && (
                <SendAfterwards kind={kind} endpointId={endpointId} eventId={eventId} webhook={webhook} />
              )}
            </Group>
          </Stack>
        ))}
      </Stack>
    ),
  },
];

/** Verdicts of endpoints that never got the webhook, or of which it is not known any more, but could get it now. */
const CAN_SEND: ReadonlySet<string> = new Set([
  'NOT_SUBSCRIBED',
  'SUBSCRIBED_LATER',
  'ENDPOINT_CREATED_LATER',
  'EXPIRED',
]);

/** Of each endpoint of the audience: whether the event went there, and why not. */
export function RoutingPanel({ eventId }: { eventId: string }) {
  const routing = routingQuery(eventId);
  const query = useInfiniteQuery(routing);
  const verdicts = query.data?.pages.flatMap(({ data }) => data.flatMap((endpoint) => endpoint.verdicts)) ?? [];
  // What is sent afterwards is told by whether its endpoint is open.
  useFreshEndpoints(
    useScope().accountId,
    verdicts.some(({ code }) => CAN_SEND.has(code)),
  );
  return (
    <>
      {query.data?.pages[0]?.fannedOut === false && (
        <Text size="sm" component="output">
          The event has not reached the fan-out yet: more deliveries may come.
        </Text>
      )}
      <CursorList
        label="Routing of the event"
        columns={columnsOf(eventId)}
        query={query}
        queryKey={routing.queryKey}
        rowKey={({ endpointId, accountId }) => endpointId ?? accountId ?? 'nobody'}
        empty={<EmptyState title="Nobody is told" text="The event has no audience that you may see." />}
      />
    </>
  );
}
