import { Stack, Text } from '@mantine/core';
import type { Trade } from '@posthorn/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { OfAccount } from '../account/account-name.tsx';
import { TradeLink } from '../account/links.tsx';
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
import { reasonText, TRADE_STATUSES } from './trade-texts.ts';

const route = getRouteApi('/shell/a/$accountId/trades');
const PAGE = 50;

const COLUMNS: readonly Column<Trade>[] = [
  {
    header: 'Trade',
    grow: true,
    cell: ({ tradeSessionId, offerId }) => (
      <Stack gap={0}>
        <TradeLink id={tradeSessionId}>{tradeSessionId}</TradeLink>
        <Text size="xs" c="dimmed">
          offer {offerId}
        </Text>
      </Stack>
    ),
  },
  {
    header: 'Status',
    cell: ({ status, reason }) => (
      <Stack gap={2} align="flex-start">
        <StatusBadge status={status} />
        {reason !== null && (
          <Text size="xs" c="dimmed">
            {reasonText(reason)}
          </Text>
        )}
      </Stack>
    ),
  },
  { header: 'Initiator', cell: ({ initiator }) => <Who side={initiator} /> },
  { header: 'Counterparty', cell: ({ counterparty }) => <Who side={counterparty} /> },
  { header: 'Changed', cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
  { header: 'Begun', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
];

/** The user, and the account that serves the side. */
const Who = ({ side }: { side: Trade['initiator'] }) => (
  <Stack gap={0}>
    {side.userId}
    <OfAccount id={side.merchantAccountId} />
  </Stack>
);

/** Trades in which the account serves a side. */
export function TradesPage() {
  const { status, offer, since, until } = route.useSearch();
  const navigate = route.useNavigate();
  const { accountId } = useScope();
  const filter = given({ accountId, status, offerId: offer, since, until });
  const [live, setLive] = useState(true);
  const queryKey = ['trades', filter];
  const query = useInfiniteQuery({
    ...byCursor,
    queryKey,
    refetchInterval: whileFirst(live),
    queryFn: ({ pageParam, signal }) =>
      posthorn.listTrades(given({ ...filter, limit: PAGE, cursor: pageParam }), { signal }),
  });
  const filtersSet = Object.keys(filter).filter((name) => name !== 'accountId').length;
  return (
    <Page
      title="Trades"
      text="What became of accepted offers, with everything that happened to each."
      actions={<LiveSwitch live={live} onChange={setLive} queryKey={queryKey} pages={query.data?.pages.length ?? 1} />}
    >
      <FilterBar set={filtersSet}>
        <Choice
          label="Status"
          data={TRADE_STATUSES}
          value={status}
          onChange={(next) => void navigate({ search: (old) => ({ ...old, status: next }) })}
        />
        <TimeSpan
          value={{ since, until }}
          onChange={(change) => void navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
        />
        <SearchBox
          label="Offer id"
          value={offer}
          onSearch={(next) => void navigate({ search: (old) => ({ ...old, offer: next }), replace: true })}
        />
      </FilterBar>
      <CursorList
        label="Trades"
        columns={COLUMNS}
        query={query}
        queryKey={queryKey}
        rowKey={({ tradeSessionId }) => tradeSessionId}
        empty={
          filtersSet > 0 ? (
            <NothingFits title="No trade fits" onClear={() => void navigate({ search: {} })} />
          ) : (
            <EmptyState title="No trades yet" text="A trade begins when an offer is accepted." />
          )
        }
      />
    </Page>
  );
}
