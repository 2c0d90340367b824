import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { User } from '@posthorn/client';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import type { Account } from '../api/session.ts';
import { confirm } from '../ui/confirm.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Facts } from '../ui/facts.tsx';
import { IdText } from '../ui/id-text.tsx';
import { LinkButton, TextLink } from '../ui/links.tsx';
import { LoadedPage } from '../ui/loaded-page.tsx';
import { Page } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { AddMember } from './add-member.tsx';
import { RenameAccount } from './rename-account.tsx';
import { RetentionField } from './retention-field.tsx';
import { hasState, UserState } from './user-state.tsx';

const route = getRouteApi('/shell/operators/accounts/$id');

const accountQuery = (id: string) =>
  queryOptions({ queryKey: ['accounts', id], queryFn: ({ signal }) => posthorn.getAccount({ id }, { signal }) });

/** One account: who acts for it, its keys, how long its deliveries are kept. */
export function AccountPage() {
  const { id } = route.useParams();
  const query = useQuery(accountQuery(id));
  const above = <TextLink to="/operators/accounts">Accounts</TextLink>;
  return (
    <LoadedPage query={query} title="Account" above={above}>
      {(data) => <Shown account={data} above={above} />}
    </LoadedPage>
  );
}

function Shown({ account, above }: { account: Account; above: ReactNode }) {
  const { id } = account;
  return (
    <Page
      title={account.name}
      heading={
        <Group gap="sm">
          {account.name}
          <Badge variant="default">{account.type.toLowerCase()}</Badge>
        </Group>
      }
      above={above}
      actions={
        <>
          <RenameAccount account={account} />
          <LinkButton variant="default" to="/operators/changes" search={{ account: id }}>
            Changes
          </LinkButton>
          <LinkButton variant="default" to="/operators/keys" search={{ account: id }}>
            API keys
          </LinkButton>
          <LinkButton variant="default" to="/a/$accountId/overview" params={{ accountId: id }}>
            Look into it
          </LinkButton>
        </>
      }
    >
      <Paper withBorder p="md">
        <Stack>
          <Facts facts={[['Id', <IdText key="i" id={id} what="account id" />]]} />
          <RetentionField accountId={id} />
        </Stack>
      </Paper>
      <Members account={account} />
    </Page>
  );
}

function Members({ account: { id, name } }: { account: Account }) {
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ['accounts', id, 'members', page],
    queryFn: ({ signal }) => posthorn.listMembers({ id, page }, { signal }),
  });
  const renew = (): Promise<void> => queries.invalidateQueries({ queryKey: ['accounts', id, 'members'] });
  const add = useMutation({
    mutationFn: (userId: string) => posthorn.addMember({ id, userId }),
    onSuccess: () => notifyDone('The user acts for the account now.'),
    onSettled: renew,
  });
  const remove = useMutation({
    mutationFn: (userId: string) => posthorn.removeMember({ id, userId }),
    onSettled: renew,
  });
  const ask = async (user: User): Promise<void> => {
    const isSure = await confirm({
      title: `Remove ${user.name} from ${name}?`,
      text: 'From the next request on the user sees nothing of the account any more. You can add the user again.',
      action: 'Remove',
    });
    if (isSure) remove.mutate(user.id);
  };
  return (
    <Stack gap="xs">
      <Title order={2}>Members</Title>
      <AddMember onAdd={(userId) => add.mutate(userId)} isBusy={add.isPending} />
      <PagedList
        label="Members"
        columns={memberColumns((user) => void ask(user))}
        query={query}
        rowKey={(user) => user.id}
        onPage={(next) => void navigate({ search: { page: next } })}
        empty={
          <EmptyState
            title="Nobody acts for this account"
            text="Add a user: members see its deliveries and manage its endpoints and keys."
          />
        }
      />
    </Stack>
  );
}

const memberColumns = (remove: (user: User) => void): Column<User>[] => [
  {
    header: 'User',
    grow: true,
    cell: ({ id, name, email }) => (
      <>
        <TextLink to="/operators/users/$id" params={{ id }}>
          {name}
        </TextLink>
        <Text size="xs" c="dimmed">
          {email}
        </Text>
      </>
    ),
  },
  { header: 'State', cell: (user) => hasState(user) && <UserState user={user} /> },
  {
    header: 'Actions',
    cell: (user) => (
      <Button size="xs" variant="subtle" color="red" onClick={() => remove(user)} aria-label={`Remove ${user.name}`}>
        Remove
      </Button>
    ),
  },
];
