import { Center } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
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

/** A list without numbered pages: more is shown on demand. With all its states; what was read stays when it cannot be renewed. */
export function CursorList<Row>({ label, columns, query, rowKey, empty }: CursorListProps<Row>) {
  const rows = query.data?.pages.flatMap((page) => page.data);
  const failure = query.isError && !query.isFetchNextPageError && (
    <Failure error={query.error} onRetry={() => void query.refetch()} />
  );
  if (failure && rows === undefined) return failure;
  if (rows?.length === 0) return empty;
  return (
    <>
      {failure}
      <DataTable label={label} columns={columns} rows={rows} rowKey={rowKey} />
      {query.isFetchNextPageError && <Failure error={query.error} />}
      <Center>
        <MoreButton query={query} more="Show more" all="That is all" />
      </Center>
    </>
  );
}
