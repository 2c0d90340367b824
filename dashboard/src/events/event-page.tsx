import { Paper, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import type { AuditEvent } from '@posthorn/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EventLink } from '../account/links.tsx';
import { useScope } from '../account/scope.ts';
import { posthorn } from '../api/client.ts';
import { Facts } from '../ui/facts.tsx';
import { Failure } from '../ui/failure.tsx';
import { IdText } from '../ui/id-text.tsx';
import { JsonView } from '../ui/json-view.tsx';
import { TextLink } from '../ui/links.tsx';
import { Page } from '../ui/page.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { CauseTree } from './cause-tree.tsx';
import { RoutingPanel } from './routing-panel.tsx';

const route = getRouteApi('/shell/a/$accountId/events/$id');

const eventQuery = (id: string) =>
  queryOptions({
    queryKey: ['events', id],
    queryFn: ({ signal }) => posthorn.getEvent({ id }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** One event: what it says, why it happened, what it caused, and where it was sent. */
export function EventPage() {
  const { id, accountId } = route.useParams();
  const query = useQuery(eventQuery(id));
  const above = (
    <TextLink to="/a/$accountId/events" params={{ accountId }}>
      Audit trail
    </TextLink>
  );
  if (query.isError) {
    return (
      <Page title="Event" above={above}>
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      </Page>
    );
  }
  if (!query.data) return <Skeleton h={300} aria-label="On its way" />;
  return (
    <Page title={query.data.event} above={above}>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Paper withBorder p="md">
          <About event={query.data} />
        </Paper>
        <JsonView value={query.data.data} label="Data of the event" />
      </SimpleGrid>
      <Stack gap="xs">
        <Title order={2}>Causes and consequences</Title>
        <CauseTree event={query.data} />
      </Stack>
      <Stack gap="xs">
        <Title order={2}>Where it was sent, and why</Title>
        <RoutingPanel eventId={id} />
      </Stack>
    </Page>
  );
}

function About({ event: { id, occurredAt, recordedAt, requestId, causedBy, accountIds } }: { event: AuditEvent }) {
  const { path } = useScope();
  return (
    <Facts
      facts={[
        ['Occurred', <RelativeTime key="o" at={occurredAt} />],
        ['Recorded', <RelativeTime key="r" at={recordedAt} />],
        ['Caused by', causedBy === null ? 'a request' : <EventLink id={causedBy}>another event</EventLink>],
        ['Audience', accountIds.length === 0 ? 'nobody' : <Audience accountIds={accountIds} />],
        ['Id', <IdText key="i" id={id} what="event id" />],
        [
          'Request',
          <TextLink key="q" to="/a/$accountId/events" params={{ accountId: path }} search={{ request: requestId }}>
            {requestId}
          </TextLink>,
        ],
      ]}
    />
  );
}

const Audience = ({ accountIds }: { accountIds: readonly string[] }) =>
  accountIds.map((id) => <IdText key={id} id={id} what="account id" />);
