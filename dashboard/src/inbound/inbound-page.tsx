import { Stack, Text } from '@mantine/core';
import type { InboundReport } from '@posthorn/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { OfAccount } from '../account/account-name.tsx';
import { ReportLink } from '../account/links.tsx';
import { useScope } from '../account/scope.ts';
import { StatusBadge } from '../account/status-badge.tsx';
import { posthorn } from '../api/client.ts';
import { given } from '../lib/given.ts';
import { Choice } from '../ui/choice.tsx';
import { byCursor, CursorList } from '../ui/cursor-list.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { LiveSwitch, whileFirst } from '../ui/live.tsx';
import { NothingFits } from '../ui/nothing-fits.tsx';
import { Page } from '../ui/page.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { TimeSpan } from '../ui/time-span.tsx';
import { REPORTED, VERDICTS } from './inbound-search.ts';
import { ReportName } from './report-name.tsx';
import { ToldTrade } from './told-trade.tsx';

const route = getRouteApi('/shell/a/$accountId/inbound');
const PAGE = 50;

const COLUMNS: readonly Column<InboundReport>[] = [
  {
    header: 'Report',
    grow: true,
    cell: ({ id, accountId, error, further, ...report }) => (
      <Stack gap={0}>
        <ReportLink id={id}>
          <ReportName report={report} />
        </ReportLink>
        {error !== null && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {error.message}
          </Text>
        )}
        {further > 0 && (
          <Text size="xs" c="dimmed">
            and {further} more like it within a minute
          </Text>
        )}
        <OfAccount id={accountId} />
      </Stack>
    ),
  },
  { header: 'Verdict', cell: ({ verdict }) => <StatusBadge status={verdict} /> },
  { header: 'Side', cell: ({ side }) => side?.toLowerCase() },
  {
    header: 'Trade',
    cell: (report) => report.tradeSessionId && <ToldTrade report={report} />,
  },
  { header: 'Received', cell: ({ receivedAt }) => <RelativeTime at={receivedAt} /> },
];

/** What the account's systems have reported, also what was refused. */
export function InboundPage() {
  const { verdict, event, trade, since, until } = route.useSearch();
  const navigate = route.useNavigate();
  const { accountId } = useScope();
  const filter = given({ accountId, verdict, event, tradeSessionId: trade, since, until });
  const [live, setLive] = useState(true);
  const queryKey = ['inbound', filter];
  const query = useInfiniteQuery({
    ...byCursor,
    queryKey,
    refetchInterval: whileFirst(live),
    queryFn: ({ pageParam, signal }) =>
      posthorn.listReports(given({ ...filter, limit: PAGE, cursor: pageParam }), { signal }),
  });
  const filtersSet = Object.keys(filter).filter((name) => name !== 'accountId').length;
  return (
    <Page
      title="Inbound log"
      text="What your systems have reported of payments, stock and fulfilment, with the verdict on each."
      actions={<LiveSwitch live={live} onChange={setLive} queryKey={queryKey} pages={query.data?.pages.length ?? 1} />}
    >
      <FilterBar set={filtersSet}>
        <Choice
          label="Verdict"
          data={VERDICTS}
          value={verdict}
          onChange={(next) => void navigate({ search: (old) => ({ ...old, verdict: next }) })}
        />
        <Choice
          label="Event"
          data={REPORTED}
          value={event}
          onChange={(next) => void navigate({ search: (old) => ({ ...old, event: next }) })}
          wide
        />
        <TimeSpan
          value={{ since, until }}
          onChange={(change) => void navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
        />
        <SearchBox
          label="Trade id"
          value={trade}
          onSearch={(next) => void navigate({ search: (old) => ({ ...old, trade: next }), replace: true })}
        />
      </FilterBar>
      <CursorList
        label="Reports"
        columns={COLUMNS}
        query={query}
        queryKey={queryKey}
        rowKey={({ id }) => id}
        empty={
          filtersSet > 0 ? (
            <NothingFits title="No report fits" onClear={() => void navigate({ search: {} })} />
          ) : (
            <EmptyState
              title="No reports yet"
              text="Systems report with POST /v1/webhooks/inbound, with a key that has the scope inbound:write, signed with its secret."
            />
          )
        }
      />
    </Page>
  );
}
