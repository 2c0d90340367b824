import { Button, Group, Pagination, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Column, DataTable } from './data-table.tsx';
import { EmptyState } from './empty-state.tsx';
import { Failure } from './failure.tsx';

interface Paged<Row> {
  page: number;
  pages: number;
  total: number;
  data: Row[];
}

interface PagedListProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  query: UseQueryResult<Paged<Row>>;
  rowKey: (row: Row) => string;
  onPage: (page: number) => void;
  /** What stands there when there is nothing. */
  empty: ReactNode;
}

/** A list by pages, with all its states: on its way, failed, empty, past its end, filled. What was read stays when it cannot be renewed. */
export function PagedList<Row>({ label, columns, query, rowKey, onPage, empty }: PagedListProps<Row>) {
  const { data: list, error, refetch } = query;
  const failure = error && <Failure error={error} onRetry={() => void refetch()} />;
  if (failure && !list) return failure;
  if (list?.total === 0) return empty;
  return (
    <>
      {failure}
      {list?.data.length === 0 ? (
        <PastTheEnd onFirst={() => onPage(1)} />
      ) : (
        <DataTable label={label} columns={columns} rows={list?.data} rowKey={rowKey} />
      )}
      {list && <Pages {...list} onPage={onPage} />}
    </>
  );
}

/** An address of a page that is not there any more: what stood on it was removed, or decided on. */
export function PastTheEnd({ onFirst }: { onFirst: () => void }) {
  return (
    <EmptyState
      title="Nothing is left on this page"
      text="The list has become shorter."
      action={
        <Button variant="default" onClick={onFirst}>
          To the first page
        </Button>
      }
    />
  );
}

/** The service counts no further. */
const MOST_PAGES = 10_000;

const counted = new Intl.NumberFormat('en');

/** "1,234 in all", and the pages when there are several. */
export function Pages(props: { page: number; pages: number; total: number; onPage: (page: number) => void }) {
  const { page, pages, total, onPage } = props;
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {counted.format(total)} in all
      </Text>
      {pages > 1 && (
        <Pagination
          value={page}
          total={Math.min(pages, MOST_PAGES)}
          onChange={onPage}
          size="sm"
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
        />
      )}
    </Group>
  );
}
