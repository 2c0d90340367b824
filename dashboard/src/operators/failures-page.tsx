import { Group, Text } from '@mantine/core';
import type { Failure as ReaderFailure } from '@posthorn/client';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EventLink } from '../account/links.tsx';
import { ALL } from '../account/scope.ts';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import { countText } from '../lib/format.ts';
import { given } from '../lib/given.ts';
import { byCursor, CursorList } from '../ui/cursor-list.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { TextLink } from '../ui/links.tsx';
import { Page } from '../ui/page.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { aboutReader } from './about-reader.ts';
import { readersQuery } from './readers-page.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';

const route = getRouteApi('/shell/operators/readers/$name');
const PAGE = 50;
const EVERY_MS = 5000;

/** The events at which a reader failed: those that it tries again by itself, and those that were set aside. */
export function FailuresPage() {
  const { name } = route.useParams();
  const queries = useQueryClient();
  const queryKey = ['readers', name, 'failures'];
  const reader = useQuery(readersQuery).data?.data.find((each) => each.name === name);
  const query = useInfiniteQuery({
    ...byCursor,
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      posthorn.listReaderFailures(given({ name, limit: PAGE, cursor: pageParam }), { signal }),
    refetchInterval: EVERY_MS,
  });
  const retry = useMutation({
    mutationFn: (eventId: string) => posthorn.retryReaderFailure({ name, eventId }),
    onSuccess: () => notifyDone('It is tried again.'),
    onSettled: () => queries.invalidateQueries({ queryKey: ['readers'] }),
  });
  return (
    <Page
      title={name}
      text={reader && `${aboutReader(reader)} ${countText(reader.lag)} events behind.`}
      above={<TextLink to="/operators/readers">Readers</TextLink>}
    >
      <CursorList
        label="Failures"
        columns={columnsOf((eventId) => retry.mutate(eventId), retry.isPending)}
        query={query}
        queryKey={queryKey}
        rowKey={({ eventId }) => eventId}
        empty={<EmptyState title="Nothing failed" text="It has handled every event that it has come to." />}
      />
    </Page>
  );
}

const columnsOf = (retry: (eventId: string) => void, isBusy: boolean): Column<ReaderFailure>[] => [
  {
    header: 'Event',
    grow: true,
    cell: ({ eventId, event, error }) => (
      <>
        <EventLink id={eventId} accountId={ALL}>
          {event}
        </EventLink>
        <Text size="xs" c="dimmed" lineClamp={2}>
          {error}
        </Text>
      </>
    ),
  },
  { header: 'Attempts', align: 'right', cell: ({ attempts }) => attempts },
  { header: 'First', cell: ({ firstFailedAt }) => <RelativeTime at={firstFailedAt} /> },
  { header: 'Last', cell: ({ lastFailedAt }) => <RelativeTime at={lastFailedAt} /> },
  {
    header: 'Next',
    cell: ({ nextAttemptAt }) =>
      nextAttemptAt === null ? (
        <Text size="sm" c="var(--mantine-color-error)">
          set aside
        </Text>
      ) : (
        <RelativeTime at={nextAttemptAt} isDue />
      ),
  },
  {
    header: 'Actions',
    cell: ({ eventId }) => (
      <Group>
        <SteadyButton size="xs" variant="default" isOff={isBusy} onClick={() => retry(eventId)}>
          Run again
        </SteadyButton>
      </Group>
    ),
  },
];
