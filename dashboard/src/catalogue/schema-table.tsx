import { Code, Table, Text } from '@mantine/core';
import { Sentence } from '../ui/sentence.tsx';
import { fieldsOf } from './schema-fields.ts';

/** The fields that a JSON Schema of an event tells of. */
export function SchemaTable({ schema, label }: { schema: Record<string, unknown>; label: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
    <section aria-label={label} tabIndex={0} style={{ overflowX: 'auto' }}>
      <Table verticalSpacing={4} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="56%">Field</Table.Th>
            <Table.Th>Type</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fieldsOf(schema).map(({ path, type, description, isOptional }) => (
            <Table.Tr key={path}>
              <Table.Td style={{ verticalAlign: 'top' }}>
                <Code style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>{path}</Code>
                {isOptional && (
                  <Text size="xs" c="dimmed">
                    optional
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <Text size="sm">{type}</Text>
                {description !== undefined && (
                  <Text size="xs" c="dimmed">
                    <Sentence>{description}</Sentence>
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
