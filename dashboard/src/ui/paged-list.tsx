import { Group, Pagination, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Column, DataTable } from './data-table.tsx';
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

/** A list by pages, with all its states: on its way, failed, empty, filled. */
export function PagedList<Row>({ label, columns, query, rowKey, onPage, empty }: PagedListProps<Row>) {
  if (query.isError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data?.data.length === 0) return empty;
  return (
    <>
      <DataTable label={label} columns={columns} rows={query.data?.data} rowKey={rowKey} />
      {query.data && <Pages {...query.data} onPage={onPage} />}
    </>
  );
}

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
          total={pages}
          onChange={onPage}
          size="sm"
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
        />
      )}
    </Group>
  );
}
