import { Table } from '@mantine/core';
import classes from './header-table.module.css';

/** Header fields as they were sent or received. */
export function HeaderTable({ label, headers }: { label: string; headers: Readonly<Record<string, string>> }) {
  return (
    <Table withTableBorder layout="fixed" aria-label={label} className={classes.headers}>
      <Table.Tbody>
        {Object.entries(headers).map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">{name}</Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
