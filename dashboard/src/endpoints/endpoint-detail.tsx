import { Badge, Button, Code, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { WebhookEndpoint } from '@posthorn/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useScope } from '../account/scope.ts';
import { Facts } from '../ui/facts.tsx';
import { Failure } from '../ui/failure.tsx';
import { IdText } from '../ui/id-text.tsx';
import { LinkButton, TextLink } from '../ui/links.tsx';
import { LoadedPage } from '../ui/loaded-page.tsx';
import { Page } from '../ui/page.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';
import { DeliveryTable, useDeliveries } from '../account/delivery-table.tsx';
import { StatusBadge } from '../account/status-badge.tsx';
import { EndpointModal } from './endpoint-modal.tsx';
import { HealthPanel } from './health-panel.tsx';
import { type EndpointKind, endpointQuery, healthQuery, KINDS } from '../account/kinds.ts';
import { TestModal } from './test-modal.tsx';
import { useEndpointActions } from './use-endpoint-actions.ts';

/** One endpoint or subscription: how it fares, how it is set, what was sent there last. */
export function EndpointDetail({ kind, id }: { kind: EndpointKind; id: string }) {
  const endpoint = useQuery(endpointQuery(kind, id));
  const health = useQuery(healthQuery(kind, id));
  const { path } = useScope();
  const { all, title, noun } = KINDS[kind];
  const above = (
    <TextLink to={all} params={{ accountId: path }}>
      {title}
    </TextLink>
  );
  return (
    <LoadedPage query={endpoint} title={noun.charAt(0).toUpperCase() + noun.slice(1)} above={above}>
      {(data) => (
        <Page
          title={data.url}
          heading={
            <Text span inherit lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
              {data.url}
            </Text>
          }
          text={data.description}
          above={above}
          actions={<Actions kind={kind} endpoint={data} />}
        >
          {health.isError && <Failure error={health.error} onRetry={() => void health.refetch()} />}
          {health.data ? <HealthPanel health={health.data} /> : !health.isError && <Skeleton h={90} />}
          <Settings endpoint={data} />
          <Recent endpoint={data} />
        </Page>
      )}
    </LoadedPage>
  );
}

function Actions({ kind, endpoint }: { kind: EndpointKind; endpoint: WebhookEndpoint }) {
  const [open, setOpen] = useState<'edit' | 'test'>();
  const navigate = useNavigate();
  const isActive = endpoint.status === 'ACTIVE';
  const { askToPause, resume, askToRemove, isBusy } = useEndpointActions(kind);
  const remove = async (): Promise<void> => {
    await askToRemove(endpoint, () => navigate({ to: KINDS[kind].all, params: { accountId: endpoint.accountId } }));
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen('test')}>
        Send a test
      </Button>
      {/* One button for both: it keeps the focus when the endpoint is paused or resumed. */}
      <SteadyButton
        variant={isActive ? 'default' : 'filled'}
        isOff={isBusy}
        onClick={() => (isActive ? void askToPause(endpoint) : resume(endpoint.id))}
      >
        {isActive ? 'Pause' : 'Resume'}
      </SteadyButton>
      <Button variant="default" onClick={() => setOpen('edit')}>
        Edit
      </Button>
      <Button variant="light" color="red" onClick={() => void remove()}>
        Delete
      </Button>
      <EndpointModal kind={kind} endpoint={endpoint} isOpen={open === 'edit'} onClose={() => setOpen(undefined)} />
      <TestModal
        kind={kind}
        endpoint={endpoint}
        isOpen={open === 'test'}
        onClose={() => setOpen(undefined)}
        onSent={(id) =>
          void navigate({ to: '/a/$accountId/deliveries/$id', params: { accountId: endpoint.accountId, id } })
        }
      />
    </>
  );
}

function Settings({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { status, allEvents, events, headerNames, maxInFlight, ratePerSecond } = endpoint;
  return (
    <Paper withBorder p="md">
      <Facts
        facts={[
          ['Address', <IdText key="address" id={endpoint.url} what="address" />],
          ['Status', <StatusBadge key="status" status={status} />],
          ['Events', allEvents ? 'All, also those that are added later' : <EventNames key="events" events={events} />],
          [
            'Headers',
            headerNames.length === 0 ? 'none of your own' : headerNames.map((name) => <Code key={name}>{name}</Code>),
          ],
          ['At once', maxInFlight ?? 'as many as the service allows'],
          ['Per second', ratePerSecond ?? 'no limit'],
          [
            'Signing secret',
            <>
              issued with the{' '}
              <TextLink to="/a/$accountId/keys" params={{ accountId: endpoint.accountId }} underline="always">
                API keys
              </TextLink>{' '}
              of the account; rotate it there
            </>,
          ],
          ['Created', <RelativeTime key="created" at={endpoint.createdAt} />],
          ['Id', <IdText key="id" id={endpoint.id} what="id of the endpoint" />],
        ]}
      />
    </Paper>
  );
}

function EventNames({ events }: { events: readonly string[] }) {
  return (
    <Group gap={4}>
      {events.map((event) => (
        <Badge key={event} variant="default" tt="none" fw={400}>
          {event}
        </Badge>
      ))}
    </Group>
  );
}

/** Of one look; the rest is in the list. */
const SHOWN = 10;

function Recent({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { id, accountId } = endpoint;
  const filter = { endpointId: id };
  const query = useDeliveries(filter, SHOWN);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2}>Last deliveries</Title>
        <Group gap="xs">
          <LinkButton
            size="xs"
            variant="default"
            to="/a/$accountId/dead-letters"
            params={{ accountId }}
            search={{ endpoint: id }}
          >
            Dead letters
          </LinkButton>
          <LinkButton
            size="xs"
            variant="default"
            to="/a/$accountId/deliveries"
            params={{ accountId }}
            search={{ endpoint: id }}
          >
            All deliveries
          </LinkButton>
        </Group>
      </Group>
      <DeliveryTable filter={filter} query={query} endpoint={endpoint} />
    </Stack>
  );
}
