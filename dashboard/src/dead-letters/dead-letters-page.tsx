import { Button, Group, Stack, Text } from '@mantine/core';
import type { DeadLetterGroup } from '@posthorn/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { OfAccount } from '../account/account-name.tsx';
import { DeliveryLink } from '../account/links.tsx';
import { NamedEndpoint } from '../account/named-endpoint.tsx';
import { useScope } from '../account/scope.ts';
import { countedText, countText } from '../lib/format.ts';
import { given } from '../lib/given.ts';
import { CursorList } from '../ui/cursor-list.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Choice } from '../ui/choice.tsx';
import { TextLink } from '../ui/links.tsx';
import { Page } from '../ui/page.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { causeText, DEADLY, isCause } from '../account/causes.ts';
import { kindOf } from '../account/kinds.ts';
import { useEndpointNames } from '../account/use-endpoint-names.ts';
import { deadLettersQuery } from './dead-letter-queries.ts';
import type { DeadLetterSearch } from './dead-letter-search.ts';
import { JobList } from './job-list.tsx';
import { JobModal, type JobPlan } from './job-modal.tsx';

const route = getRouteApi('/shell/a/$accountId/dead-letters');

/** What failed for good, by endpoint and cause; replayed or discarded by group, or all that fit the filters. */
export function DeadLettersPage() {
  const { endpoint, cause } = route.useSearch();
  const { accountId } = useScope();
  const [plan, setPlan] = useState<JobPlan>();
  const filter = given({ endpointId: endpoint, errorClass: cause });
  const letters = deadLettersQuery(given({ ...filter, accountId }));
  const query = useInfiniteQuery(letters);
  const isEmpty = query.data?.pages.every(({ data }) => data.length === 0) ?? true;
  return (
    <Page
      title="Dead letters"
      text="What failed five times over about a day, or for two days by a fault of ours. A replayed one stays here until it is discarded."
      actions={
        !isEmpty && (
          <>
            <Button onClick={() => setPlan({ kind: 'REPLAY', filter, accountId })}>Replay all</Button>
            <Button variant="light" color="red" onClick={() => setPlan({ kind: 'DISCARD', filter, accountId })}>
              Discard all
            </Button>
          </>
        )
      }
    >
      <Filters />
      <CursorList
        label="Dead letters"
        columns={columnsOf(accountId, setPlan)}
        query={query}
        queryKey={letters.queryKey}
        rowKey={({ endpointId, errorClass }) => `${endpointId} ${errorClass}`}
        empty={
          <EmptyState title="No dead letters" text="Everything has arrived, is still being tried, or was discarded." />
        }
      />
      <JobList accountId={accountId} />
      <JobModal plan={plan} onClose={() => setPlan(undefined)} />
    </Page>
  );
}

const columnsOf = (accountId: string | undefined, plan: (plan: JobPlan) => void): Column<DeadLetterGroup>[] => [
  { header: 'Endpoint', grow: true, cell: (group) => <GroupName group={group} /> },
  {
    header: 'How many',
    align: 'right',
    cell: (group) => (
      <Stack gap={0}>
        <Members group={group} />
        <Replayed group={group} />
      </Stack>
    ),
  },
  { header: 'Oldest', cell: ({ oldest }) => <End end={oldest} /> },
  { header: 'Newest', cell: ({ newest }) => <End end={newest} /> },
  {
    header: 'Actions',
    cell: ({ endpointId, endpointIsDeleted, errorClass }) => {
      // One of another version is refused, rather than left out and all of the endpoint meant.
      const filter = { endpointId, errorClass };
      return (
        <Group gap="xs" wrap="nowrap">
          {!endpointIsDeleted && (
            <Button size="xs" variant="default" onClick={() => plan({ kind: 'REPLAY', filter, accountId })}>
              Replay
            </Button>
          )}
          <Button size="xs" variant="subtle" color="red" onClick={() => plan({ kind: 'DISCARD', filter, accountId })}>
            Discard
          </Button>
        </Group>
      );
    },
  },
];

function GroupName({ group }: { group: DeadLetterGroup }) {
  const { accountId, endpointId, endpointUrl, endpointIsDeleted, errorClass, newest, lastMessage } = group;
  const kind = kindOf(newest.event);
  return (
    <Stack gap={2}>
      <NamedEndpoint id={endpointId} kind={kind} url={endpointUrl} isDeleted={endpointIsDeleted} />
      <OfAccount id={accountId} />
      <Text size="sm">
        <strong>{errorClass}</strong> {causeText(errorClass)}
      </Text>
      {lastMessage !== null && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {lastMessage}
        </Text>
      )}
    </Stack>
  );
}

/** How many they are, which leads to them where a list can be narrowed to their cause. */
function Members({ group: { endpointId, errorClass, count, countIsExact } }: { group: DeadLetterGroup }) {
  const { path } = useScope();
  if (!isCause(errorClass)) return countedText(count, countIsExact);
  return (
    <TextLink
      to="/a/$accountId/deliveries"
      params={{ accountId: path }}
      search={{ status: 'DEAD', endpoint: endpointId, cause: errorClass }}
      aria-label={`${countedText(count, countIsExact)} with ${errorClass}: look at them`}
    >
      {countedText(count, countIsExact)}
    </TextLink>
  );
}

/** How many of them a replay has sent, or is about to; of many the newest were looked at only. */
function Replayed({ group: { count, ...group } }: { group: DeadLetterGroup }) {
  // During an upgrade a node that does not tell it yet may answer.
  const replayed: DeadLetterGroup['replayed'] | undefined = group.replayed;
  if (!replayed?.count) return null;
  return (
    <Text size="xs" c="dimmed">
      {replayed.of >= count
        ? `${countText(replayed.count)} replayed`
        : `${countText(replayed.count)} replayed, of ${countText(replayed.of)} looked at`}
    </Text>
  );
}

function End({ end: { deliveryId, createdAt } }: { end: DeadLetterGroup['oldest'] }) {
  return (
    <DeliveryLink id={deliveryId}>
      <RelativeTime at={createdAt} />
    </DeliveryLink>
  );
}

function Filters() {
  const { endpoint, cause } = route.useSearch();
  const navigate = route.useNavigate();
  const { accountId } = useScope();
  const endpoints = useEndpointNames(accountId);
  const change = (next: Partial<DeadLetterSearch>): void => void navigate({ search: (old) => ({ ...old, ...next }) });
  return (
    <Group gap="xs">
      <Choice
        label="Endpoint"
        data={endpoints}
        value={endpoint}
        onChange={(value) => change({ endpoint: value })}
        wide
      />
      <Choice label="Cause" data={DEADLY} value={cause} onChange={(value) => change({ cause: value })} wide />
    </Group>
  );
}
