import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useScope } from '../account/scope.ts';
import { given } from '../lib/given.ts';
import { Choice } from '../ui/choice.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { FilterPill } from '../ui/filter-pill.tsx';
import { LiveSwitch } from '../ui/live.tsx';
import { NothingFits } from '../ui/nothing-fits.tsx';
import { Page } from '../ui/page.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { eventTypesQuery } from '../account/event-types.ts';
import { FAILURES } from '../account/causes.ts';
import { useEndpointNames } from '../account/use-endpoint-names.ts';
import { deliveriesQuery } from '../account/delivery-queries.ts';
import { DeliveryTable, useDeliveries } from '../account/delivery-table.tsx';
import { TimeSpan } from '../ui/time-span.tsx';
import { DELIVERY_STATUSES, type DeliverySearch } from './delivery-search.ts';

const route = getRouteApi('/shell/a/$accountId/deliveries');
const PAGE = 50;

/** Every delivery, by filters that stand in the address. */
export function DeliveriesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { accountId } = useScope();
  const [live, setLive] = useState(true);
  const change = (next: Partial<DeliverySearch>, replace = false): void =>
    void navigate({ search: (old) => ({ ...old, ...next }), replace });
  const isFiltered = filtersOf(search) > 0;
  const { endpoint, of, trade, cause, ...rest } = search;
  const filter = given({
    ...rest,
    accountId,
    eventId: of,
    endpointId: endpoint,
    tradeSessionId: trade,
    errorClass: cause,
  });
  const query = useDeliveries(filter, PAGE, live);
  const { queryKey } = deliveriesQuery(filter, PAGE, live);
  return (
    <Page
      title="Deliveries"
      text="What was sent, what came back, and what is sent again."
      actions={<LiveSwitch live={live} onChange={setLive} queryKey={queryKey} pages={query.data?.pages.length ?? 1} />}
    >
      <Filters search={search} onChange={change} />
      <DeliveryTable
        filter={filter}
        query={query}
        {...(isFiltered && {
          empty: <NothingFits title="No delivery fits" onClear={() => void navigate({ search: {} })} />,
        })}
      />
    </Page>
  );
}

const filtersOf = (search: DeliverySearch): number =>
  Object.values(search).filter((value) => value !== undefined).length;

interface FiltersProps {
  search: DeliverySearch;
  /** `replace`: typed bit by bit, which is one step back. */
  onChange: (change: Partial<DeliverySearch>, replace?: boolean) => void;
}

function Filters({ search, onChange }: FiltersProps) {
  const { accountId } = useScope();
  const types = useQuery(eventTypesQuery);
  const endpoints = useEndpointNames(accountId);
  const webhooks = (types.data?.data ?? []).filter(({ webhook }) => webhook !== null).map(({ event }) => event);
  return (
    <FilterBar set={filtersOf(search)}>
      <Choice
        label="Status"
        data={DELIVERY_STATUSES}
        value={search.status}
        onChange={(status) => onChange({ status })}
      />
      <Choice label="Event" data={webhooks} value={search.event} onChange={(event) => onChange({ event })} wide />
      <Choice
        label="Endpoint"
        data={endpoints}
        value={search.endpoint}
        onChange={(endpoint) => onChange({ endpoint })}
        wide
      />
      <Choice label="Cause" data={FAILURES} value={search.cause} onChange={(cause) => onChange({ cause })} wide />
      <TimeSpan value={search} onChange={(change) => onChange(change, true)} />
      <SearchBox label="Trade id" value={search.trade} onSearch={(trade) => onChange({ trade }, true)} />
      {search.of !== undefined && (
        <FilterPill
          text="Only those of one event"
          clear="Those of all events"
          onRemove={() => onChange({ of: undefined })}
        />
      )}
    </FilterBar>
  );
}
