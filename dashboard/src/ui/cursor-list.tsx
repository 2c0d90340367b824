import { Center } from '@mantine/core';
import { hashKey, type InfiniteData, type QueryKey, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type FailureOfMore, failureOfMore } from '../lib/failure-of-more.ts';
import { type Column, DataTable } from './data-table.tsx';
import { Failure } from './failure.tsx';
import { SteadyButton } from './steady-button.tsx';

interface CursorPage<Row> {
  data: Row[];
  nextCursor: string | null;
}

/** What `useInfiniteQuery` needs of a list with cursors, besides its key and function. */
export const byCursor = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: { nextCursor: string | null }): string | undefined => page.nextCursor ?? undefined,
};

interface CursorListProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  query: UseInfiniteQueryResult<InfiniteData<CursorPage<Row>, unknown>>;
  /** Of the query, or of what tells its lists apart. */
  queryKey: QueryKey;
  rowKey: (row: Row) => string;
  empty: ReactNode;
}

interface MoreButtonProps {
  query: Pick<
    UseInfiniteQueryResult<InfiniteData<unknown>>,
    'data' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
  >;
  more: string;
  /** In its place once all was read by it: whoever is on it stays there. */
  all: string;
}

/** Reads the next page of a list; none where one page is all. */
export function MoreButton({
  query: { data, hasNextPage, isFetchingNextPage, fetchNextPage },
  more,
  all,
}: MoreButtonProps) {
  if (!hasNextPage && (data?.pages.length ?? 0) < 2) return null;
  return (
    <SteadyButton
      variant="default"
      isOff={!hasNextPage}
      isBusy={isFetchingNextPage}
      onClick={() => void fetchNextPage()}
    >
      {hasNextPage ? more : all}
    </SteadyButton>
  );
}

/**
 * What the last attempt to read more of this list failed with, until it is made again; null: nothing. The query itself forgets it as soon as it is read
 * anew, as a list that renews itself is within seconds.
 */
export function useFailureOfMore(
  {
    data,
    error,
    hasNextPage,
    isFetchNextPageError,
    isFetchingNextPage,
  }: Pick<
    UseInfiniteQueryResult<InfiniteData<unknown>>,
    'data' | 'error' | 'hasNextPage' | 'isFetchNextPageError' | 'isFetchingNextPage'
  >,
  queryKey: QueryKey,
): Error | null {
  const [kept, setKept] = useState<FailureOfMore | null>(null);
  const list = { key: hashKey(queryKey), pages: data?.pages.length ?? 0 };
  const present = failureOfMore(kept, { ...list, error, hasNextPage, isFetchNextPageError, isFetchingNextPage });
  if (present !== kept) setKept(present);
  return present?.error ?? null;
}

/** A list without numbered pages: more is shown on demand. With all its states; what was read stays when it cannot be renewed. */
export function CursorList<Row>({ label, columns, query, queryKey, rowKey, empty }: CursorListProps<Row>) {
  const rows = query.data?.pages.flatMap((page) => page.data);
  const ofMore = useFailureOfMore(query, queryKey);
  const failure = query.isError && query.error !== ofMore && (
    <Failure error={query.error} onRetry={() => void query.refetch()} />
  );
  if (failure && rows === undefined) return failure;
  if (rows?.length === 0) return empty;
  return (
    <>
      {failure}
      <DataTable label={label} columns={columns} rows={rows} rowKey={rowKey} />
      {ofMore && <Failure error={ofMore} />}
      <Center>
        <MoreButton query={query} more="Show more" all="That is all" />
      </Center>
    </>
  );
}
