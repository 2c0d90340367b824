import type { Client } from '@posthorn/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useMe } from '../api/session.ts';
import { given } from '../lib/given.ts';
import { Choice } from '../ui/choice.tsx';
import { byCursor, CursorList } from '../ui/cursor-list.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { FilterPill } from '../ui/filter-pill.tsx';
import { NothingFits } from '../ui/nothing-fits.tsx';
import { TimeSpan } from '../ui/time-span.tsx';
import { changeColumns } from './change-columns.tsx';
import type { ChangeSearch } from './change-search.ts';
import { actionsOf, type Area, AREA_NAMES, type Change } from './change-texts.ts';

const PAGE = 50;

type Filter = Omit<Parameters<Client['listChanges']>[0] & object, 'accountId'>;
type Read = (filter: Filter, signal: AbortSignal) => Promise<{ data: Change[]; nextCursor: string | null }>;

interface ChangeListProps {
  /** Names what is read, in the cache. */
  of: string;
  read: Read;
  search: ChangeSearch;
  onSearch: (change: ChangeSearch, replace?: boolean) => void;
  onClear: () => void;
  areas: readonly Area[];
  /** A filter by account, where the list is of all. */
  accountFilter?: ReactNode;
  isOfAccount?: boolean;
}

/** Who changed what, newest first, with its filters. */
export function ChangeList({
  of,
  read,
  search,
  onSearch,
  onClear,
  areas,
  accountFilter,
  isOfAccount = false,
}: ChangeListProps) {
  const { user } = useMe();
  const { what, by: actorId, thing: thingId, since, until } = search;
  const filter = given({ actorId, thingId, since, until, action: what && actionsOf(what) });
  const queryKey = ['changes', of, filter];
  const query = useInfiniteQuery({
    ...byCursor,
    queryKey,
    queryFn: ({ pageParam, signal }) => read(given({ ...filter, limit: PAGE, cursor: pageParam }), signal),
  });
  const first = query.data?.pages[0]?.data[0];
  const isFiltered = isOfAccount || Object.values(search).some((value) => value !== undefined);
  const reader = {
    isOperator: user.operator,
    isEditor: user.blogRole === 'EDITOR',
    onActor: (id: string) => onSearch({ by: id }),
  };
  return (
    <>
      <FilterBar set={Object.values(search).filter((value) => value !== undefined).length + (isOfAccount ? 1 : 0)}>
        {accountFilter}
        <Choice
          label="What"
          data={areas.map((value) => ({ value, label: AREA_NAMES[value] }))}
          value={what}
          onChange={(next) => onSearch({ what: next })}
          wide
        />
        <TimeSpan value={search} onChange={(next) => onSearch(next, true)} />
        {actorId !== undefined && (
          <FilterPill
            text={<>Only by {first?.actor.name ? <bdi>{first.actor.name}</bdi> : 'one user or key'}</>}
            clear="By anybody"
            onRemove={() => onSearch({ by: undefined })}
          />
        )}
        {thingId !== undefined && (
          <FilterPill
            text={<>Only of {first ? <bdi>{first.thing.name}</bdi> : 'one thing'}</>}
            clear="Of everything"
            onRemove={() => onSearch({ thing: undefined })}
          />
        )}
      </FilterBar>
      <CursorList
        label="Changes"
        columns={changeColumns(reader, accountFilter !== undefined)}
        query={query}
        queryKey={queryKey}
        rowKey={({ id }) => id}
        empty={
          isFiltered ? (
            <NothingFits title="No change fits" onClear={onClear} />
          ) : (
            <EmptyState
              title="No changes yet"
              text="Who changes keys, endpoints, members or settings will stand here."
            />
          )
        }
      />
    </>
  );
}
