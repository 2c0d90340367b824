import { Button, Stack, Text } from '@mantine/core';
import type { WebhookEndpoint } from '@posthorn/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { OfAccount } from '../account/account-name.tsx';
import { EndpointLink } from '../account/links.tsx';
import { useScope } from '../account/scope.ts';
import type { Column } from '../ui/data-table.tsx';
import { Plus } from '../ui/icons.ts';
import { Page } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { StatusBadge } from '../account/status-badge.tsx';
import { EndpointModal } from './endpoint-modal.tsx';
import { HealthText, LastSuccess, WaitingText } from './health-text.tsx';
import { type EndpointKind, endpointsQuery, KINDS } from '../account/kinds.ts';
import { NoEndpoints } from './no-endpoints.tsx';

const columnsOf = (kind: EndpointKind): Column<WebhookEndpoint>[] => [
  {
    header: 'Address',
    grow: true,
    cell: (endpoint) => (
      <Stack gap={0}>
        <EndpointLink kind={kind} id={endpoint.id} accountId={endpoint.accountId}>
          {endpoint.url}
        </EndpointLink>
        <Text size="xs" c="dimmed" lineClamp={1}>
          {endpoint.description === '' ? eventsText(endpoint) : endpoint.description}
        </Text>
        <OfAccount id={endpoint.accountId} />
      </Stack>
    ),
  },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Success, 24 h', cell: ({ id }) => <HealthText kind={kind} id={id} /> },
  { header: 'Waiting', cell: ({ id }) => <WaitingText kind={kind} id={id} /> },
  { header: 'Last arrival', cell: ({ id }) => <LastSuccess kind={kind} id={id} /> },
];

const eventsText = ({ allEvents, events }: WebhookEndpoint): string =>
  allEvents ? 'All events' : events.length === 1 ? (events[0] ?? '') : `${events.length} events`;

interface EndpointListProps {
  kind: EndpointKind;
  page: number | undefined;
  onPage: (page: number) => void;
}

/** Endpoints of a merchant, or subscriptions of a business, with how they fare. */
export function EndpointList({ kind, page, onPage }: EndpointListProps) {
  const { accountId, account } = useScope();
  const canAct = account?.type === kind;
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const { title, text, one } = KINDS[kind];
  const query = useQuery(endpointsQuery(kind, accountId, page));
  const create = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setOpen(true)}>
      {kind === 'MERCHANT' ? 'New endpoint' : 'Subscribe'}
    </Button>
  );
  return (
    <Page title={title} text={text} actions={canAct && create}>
      <PagedList
        label={title}
        columns={columnsOf(kind)}
        query={query}
        rowKey={({ id }) => id}
        onPage={onPage}
        empty={<NoEndpoints kind={kind} accountId={canAct ? accountId : undefined} create={create} />}
      />
      <EndpointModal
        kind={kind}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        accountId={accountId}
        onSaved={({ id, accountId }) => void navigate({ to: one, params: { accountId, id } })}
      />
    </Page>
  );
}
