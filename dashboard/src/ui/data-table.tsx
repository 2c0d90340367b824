import { Skeleton, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export interface Column<Row> {
  header: ReactNode;
  /** Names the column where `header` is no text. */
  key?: string;
  /** null: there is none, which is a dash, and left out on phones; so is `false`, without the dash. */
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  align?: 'right';
  /** The column that may be long: the others take what they need. */
  grow?: boolean;
}

/** Names a column where its header is no text. */
const keyOf = <Row,>({ key, header }: Column<Row>): string => key ?? (typeof header === 'string' ? header : '');

interface DataTableProps<Row> {
  /** For screen readers: "Posts". */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined: on its way. */
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Marks a row: the one chosen, the one with the keyboard. */
  rowProps?: (row: Row) => { 'data-current'?: boolean; 'aria-selected'?: boolean };
}

const WAITING = [1, 2, 3, 4, 5];

/** `data-label` is shown before it on phones, where the headers are not. */
function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const shown = column.cell(row);
  const isEmpty = shown === false || shown === null || shown === undefined;
  const width = column.grow ? classes.grow : classes.fit;
  return (
    <Table.Td
      className={`${width} ${column.align === 'right' ? classes.right : ''} ${isEmpty ? classes.empty : ''}`}
      data-label={keyOf(column)}
    >
      {/* One child of the grid, however many pieces it is of. */}
      <div>{shown ?? '–'}</div>
    </Table.Td>
  );
}

/** A table, below each other on a phone; where it does not fit all the same it scrolls sideways. Grey bars until its rows are there. */
export function DataTable<Row>({ label, columns, rows, rowKey, rowProps }: DataTableProps<Row>) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
    <section className={classes.scroll} tabIndex={0} aria-label={label} aria-busy={rows === undefined}>
      <Table verticalSpacing="xs" highlightOnHover aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={keyOf(column)} ta={column.align} className={column.grow ? classes.grow : classes.fit}>
                {column.header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows === undefined
            ? WAITING.map((n) => (
                <Table.Tr key={n}>
                  <Table.Td colSpan={columns.length}>
                    <Skeleton height={20} />
                  </Table.Td>
                </Table.Tr>
              ))
            : rows.map((row) => (
                <Table.Tr key={rowKey(row)} className={classes.row} {...rowProps?.(row)}>
                  {columns.map((column) => (
                    <Cell key={keyOf(column)} column={column} row={row} />
                  ))}
                </Table.Tr>
              ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
