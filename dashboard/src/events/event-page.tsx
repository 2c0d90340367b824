import { Group, Paper, SimpleGrid, Stack, Title } from '@mantine/core';
import type { AuditEvent } from '@posthorn/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { AccountName } from '../account/account-name.tsx';
import { EventLink } from '../account/links.tsx';
import { useScope } from '../account/scope.ts';
import { posthorn } from '../api/client.ts';
import { useMe } from '../api/session.ts';
import { Facts } from '../ui/facts.tsx';
import { IdText } from '../ui/id-text.tsx';
import { JsonView } from '../ui/json-view.tsx';
import { TextLink } from '../ui/links.tsx';
import { LoadedPage } from '../ui/loaded-page.tsx';
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
  return (
    <LoadedPage query={query} title="Event" above={above}>
      {(event) => (
        <Page title={event.event} above={above}>
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Paper withBorder p="md">
              <About event={event} />
            </Paper>
            <JsonView value={event.data} label="Data of the event" />
          </SimpleGrid>
          <Stack gap="xs">
            <Title order={2}>Causes and consequences</Title>
            <CauseTree event={event} />
          </Stack>
          <Stack gap="xs">
            <Group justify="space-between">
              <Title order={2}>Where it was sent, and why</Title>
              <TextLink to="/a/$accountId/deliveries" params={{ accountId }} search={{ of: id }}>
                Its deliveries
              </TextLink>
            </Group>
            <RoutingPanel eventId={id} />
          </Stack>
        </Page>
      )}
    </LoadedPage>
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

/** Operators see whose accounts they are. */
function Audience({ accountIds }: { accountIds: readonly string[] }) {
  const { user } = useMe();
  return accountIds.map((id) => (
    <Group key={id} gap="xs">
      {user.operator && <AccountName id={id} />}
      <IdText id={id} what="account id" />
    </Group>
  ));
}
