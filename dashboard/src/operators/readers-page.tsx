import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import type { Reader } from '@posthorn/client';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import { countText } from '../lib/format.ts';
import { confirm } from '../ui/confirm.tsx';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { Failure } from '../ui/failure.tsx';
import { LinkButton, TextLink } from '../ui/links.tsx';
import { Page } from '../ui/page.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { aboutReader } from './about-reader.ts';

/** How far readers are changes all the time. Milliseconds. */
const EVERY_MS = 3000;

export const readersQuery = queryOptions({
  queryKey: ['readers'],
  queryFn: ({ signal }) => posthorn.listReaders({}, { signal }),
  refetchInterval: EVERY_MS,
});

/** Who reads the event log, how far behind each is, and what it could not handle. */
export function ReadersPage() {
  const query = useQuery(readersQuery);
  const queries = useQueryClient();
  const rebuild = useMutation({
    mutationFn: (name: string) => posthorn.rebuildReader({ name }),
    onSuccess: () => notifyDone('It reads the log again from its start.'),
    onSettled: () => queries.invalidateQueries({ queryKey: ['readers'] }),
  });
  const ask = async (name: string): Promise<void> => {
    const isSure = await confirm({
      title: `Have ${name} read the whole log again?`,
      text: 'What it computed is computed anew; what it did once is not done again. With many events it takes a while.',
      action: 'Rebuild',
      destructive: false,
    });
    if (isSure) rebuild.mutate(name);
  };
  const setAside = (query.data?.data ?? []).filter((reader) => reader.setAside > 0);
  return (
    <Page title="Readers" text="Who reads the event log, and how far behind each is.">
      {query.isError && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {setAside.length > 0 && (
        <Alert color="red" title="Events were set aside">
          Some reactions failed at an event for good. Look at why, mend it, and run them again.
        </Alert>
      )}
      {(query.data || !query.isError) && (
        <DataTable
          label="Readers"
          columns={columnsOf((name) => void ask(name))}
          rows={query.data?.data}
          rowKey={({ name }) => name}
        />
      )}
    </Page>
  );
}

const columnsOf = (rebuild: (name: string) => void): Column<Reader>[] => [
  {
    header: 'Reader',
    grow: true,
    cell: ({ name, description }) => (
      <Stack gap={0}>
        <TextLink to="/operators/readers/$name" params={{ name }}>
          {name}
        </TextLink>
        <Text size="xs" c="dimmed">
          {aboutReader({ name, description })}
        </Text>
      </Stack>
    ),
  },
  {
    header: 'State',
    cell: ({ active, lag }) => (
      <Badge variant="light" color={active ? 'green' : lag === 0 ? 'gray' : 'yellow'}>
        {active ? 'running' : lag === 0 ? 'at rest' : 'not running'}
      </Badge>
    ),
  },
  { header: 'Behind', align: 'right', cell: ({ lag }) => `${countText(lag)} events` },
  { header: 'Moved', cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
  { header: 'Retrying', align: 'right', cell: ({ retrying }) => countText(retrying) },
  {
    header: 'Set aside',
    align: 'right',
    cell: ({ setAside }) => (
      <Text size="sm" fw={setAside > 0 ? 700 : 400} c={setAside > 0 ? 'var(--mantine-color-error)' : undefined}>
        {countText(setAside)}
      </Text>
    ),
  },
  {
    header: 'Actions',
    // Only reactions are described; of the fan-out and the seals there is nothing to rebuild.
    cell: ({ name, description, setAside, retrying }) =>
      (description !== null || setAside + retrying > 0) && (
        <Group gap="xs" wrap="nowrap">
          {setAside + retrying > 0 && (
            <LinkButton size="xs" variant="default" to="/operators/readers/$name" params={{ name }}>
              Failures
            </LinkButton>
          )}
          {description !== null && (
            <Button size="xs" variant="subtle" onClick={() => rebuild(name)} aria-label={`Rebuild ${name}`}>
              Rebuild
            </Button>
          )}
        </Group>
      ),
  },
];
