import { Stack, Text } from '@mantine/core';
import type { AuditEvent } from '@posthorn/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { eventTypesQuery } from '../account/event-types.ts';
import { EventLink } from '../account/links.tsx';
import { useScope } from '../account/scope.ts';
import { posthorn } from '../api/client.ts';
import { given } from '../lib/given.ts';
import { Choice } from '../ui/choice.tsx';
import { byCursor, CursorList } from '../ui/cursor-list.tsx';
import type { Column } from '../ui/data-table.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { FilterPill } from '../ui/filter-pill.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { LiveSwitch, whileFirst } from '../ui/live.tsx';
import { NothingFits } from '../ui/nothing-fits.tsx';
import { Page } from '../ui/page.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { TimeSpan } from '../ui/time-span.tsx';
import type { EventSearch } from './event-search.ts';
import { subjectOf } from './subject.ts';

const route = getRouteApi('/shell/a/$accountId/events');
const PAGE = 50;

const COLUMNS: readonly Column<AuditEvent>[] = [
  {
    header: 'Event',
    grow: true,
    cell: ({ id, event, data }) => (
      <Stack gap={0}>
        <EventLink id={id}>{event}</EventLink>
        <Text size="xs" c="dimmed" lineClamp={1}>
          {subjectOf(data)}
        </Text>
      </Stack>
    ),
  },
  {
    header: 'Caused by',
    cell: ({ causedBy }) => (causedBy === null ? 'a request' : <EventLink id={causedBy}>another event</EventLink>),
  },
  { header: 'Audience', align: 'right', cell: ({ accountIds }) => accountIds.length },
  { header: 'Recorded', cell: ({ recordedAt }) => <RelativeTime at={recordedAt} /> },
];

/** The audit trail: everything that has happened, by filters that stand in the address. */
export function EventsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { accountId } = useScope();
  const { event, trade, subject, cause, request, since, until } = search;
  const filter = given({
    accountId,
    event,
    tradeSessionId: trade,
    subjectId: subject,
    causedBy: cause,
    requestId: request,
    since,
    until,
  });
  const [live, setLive] = useState(true);
  const queryKey = ['events', filter];
  const query = useInfiniteQuery({
    ...byCursor,
    queryKey,
    refetchInterval: whileFirst(live),
    queryFn: ({ pageParam, signal }) =>
      posthorn.listEvents(given({ ...filter, limit: PAGE, cursor: pageParam }), { signal }),
  });
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <Page
      title="Audit trail"
      text="Everything that has happened, as it was recorded. Nothing of it is ever changed."
      actions={<LiveSwitch live={live} onChange={setLive} queryKey={queryKey} pages={query.data?.pages.length ?? 1} />}
    >
      <Filters />
      <CursorList
        label="Events"
        columns={COLUMNS}
        query={query}
        queryKey={queryKey}
        rowKey={({ id }) => id}
        empty={
          isFiltered ? (
            <NothingFits title="No event fits" onClear={() => void navigate({ search: {} })} />
          ) : (
            <EmptyState title="No events yet" text="Events are published by the marketplace, and by what they cause." />
          )
        }
      />
    </Page>
  );
}

function Filters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const types = useQuery(eventTypesQuery);
  const change = (next: Partial<EventSearch>, replace = false): void =>
    void navigate({ search: (old) => ({ ...old, ...next }), replace });
  const names = (types.data?.data ?? []).filter(({ internal }) => internal).map(({ event }) => event);
  return (
    <FilterBar set={Object.values(search).filter((value) => value !== undefined).length}>
      <Choice label="Event" data={names} value={search.event} onChange={(event) => change({ event })} wide />
      <TimeSpan value={search} onChange={(next) => change(next, true)} />
      <SearchBox label="Trade id" value={search.trade} onSearch={(trade) => change({ trade }, true)} />
      <SearchBox
        label="Id of what it is about"
        value={search.subject}
        onSearch={(subject) => change({ subject }, true)}
      />
      {search.cause !== undefined && (
        <FilterPill
          text="Only what one event caused"
          clear="Whatever caused them"
          onRemove={() => change({ cause: undefined })}
        />
      )}
      <SearchBox label="Request id" value={search.request} onSearch={(request) => change({ request }, true)} />
    </FilterBar>
  );
}
