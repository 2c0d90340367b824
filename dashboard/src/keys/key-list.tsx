import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core';
import type { ApiKey } from '@posthorn/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isOver } from '../account/lacks-key.ts';
import { notifyDone } from '../api/notices.tsx';
import { shortText } from '../lib/time.ts';
import { confirm } from '../ui/confirm.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { TextLink } from '../ui/links.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import type { KeyCalls } from './key-calls.ts';
import classes from './key-list.module.css';
import { RotateModal } from './rotate-modal.tsx';

interface KeyListProps {
  calls: KeyCalls;
  page: number | undefined;
  onPage: (page: number) => void;
  /** The list is of several accounts, which are named. */
  ofAccounts?: boolean;
}

/** API keys, those that are over too. */
export function KeyList({ calls, page, onPage, ofAccounts = false }: KeyListProps) {
  const [rotating, setRotating] = useState<ApiKey>();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ['keys', calls.accountId ?? null, page ?? 1],
    queryFn: ({ signal }) => calls.list(page, signal),
  });
  const revoke = useMutation({
    mutationFn: (key: ApiKey) => calls.revoke(key),
    onSuccess: () => notifyDone('The key was revoked.'),
    onSettled: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  const ask = async (key: ApiKey): Promise<void> => {
    const isSure = await confirm({
      title: `Revoke the key “${key.name}”?`,
      text: `Whoever uses it is refused from now on, and its signing secret signs no more. This cannot be undone. ${insteadOf(key)}`,
      action: 'Revoke',
    });
    if (isSure) revoke.mutate(key);
  };
  const columns = columnsOf({ ofAccounts, onRotate: setRotating, onRevoke: (key) => void ask(key) });
  return (
    <>
      <PagedList
        label="API keys"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        onPage={onPage}
        empty={
          <EmptyState
            title="No keys"
            text="A key lets a system of yours call the service, and its signing secret signs what is sent to your endpoints."
          />
        }
      />
      <RotateModal calls={calls} apiKey={rotating} onClose={() => setRotating(undefined)} />
    </>
  );
}

/** What else could be done with a key. */
const insteadOf = ({ expiresAt }: ApiKey): string =>
  expiresAt === null
    ? 'To replace it without an interruption, rotate it instead.'
    : `It ends by itself on ${shortText(new Date(expiresAt))}.`;

interface Told {
  ofAccounts: boolean;
  onRotate: (key: ApiKey) => void;
  onRevoke: (key: ApiKey) => void;
}

const columnsOf = ({ ofAccounts, onRotate, onRevoke }: Told): Column<ApiKey>[] => [
  {
    header: 'Key',
    grow: true,
    cell: ({ name, hint, accountId, accountName }) => (
      <Stack gap={2}>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          <Code>{hint}…</Code>{' '}
          {ofAccounts && (
            <TextLink to="/operators/accounts/$id" params={{ id: accountId }} underline="always">
              {accountName}
            </TextLink>
          )}
        </Text>
      </Stack>
    ),
  },
  {
    header: 'May',
    cell: ({ scopes }) => (
      <Group gap={4} maw={230}>
        {scopes.map((scope) => (
          <Badge key={scope} variant="default" tt="none" fw={400}>
            {scope}
          </Badge>
        ))}
      </Group>
    ),
  },
  { header: 'State', cell: (key) => <KeyState apiKey={key} /> },
  { header: 'Made', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  {
    header: 'Actions',
    cell: (key) =>
      !isOver(key) && (
        <Group gap="xs" wrap="nowrap">
          {key.expiresAt === null && (
            <Button size="xs" variant="default" onClick={() => onRotate(key)} aria-label={`Rotate ${key.name}`}>
              Rotate
            </Button>
          )}
          <Button
            size="xs"
            variant="subtle"
            color="red"
            onClick={() => onRevoke(key)}
            aria-label={`Revoke ${key.name}`}
          >
            Revoke
          </Button>
        </Group>
      ),
  },
];

function KeyState({ apiKey }: { apiKey: ApiKey }) {
  const { revokedAt, expiresAt } = apiKey;
  if (revokedAt !== null) {
    return (
      <Text size="sm" c="dimmed" className={classes.state}>
        revoked <RelativeTime at={revokedAt} />
      </Text>
    );
  }
  if (expiresAt === null)
    return (
      <Badge color="green" variant="light">
        active
      </Badge>
    );
  return (
    <Text size="sm" c="dimmed" className={classes.state}>
      {isOver(apiKey) ? 'replaced' : 'was rotated; ends'} <RelativeTime at={expiresAt} />
    </Text>
  );
}
