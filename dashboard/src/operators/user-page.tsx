import { Group, Paper, Select, Stack, Switch, Text, Title } from '@mantine/core';
import type { Operations } from '@posthorn/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import { confirm } from '../ui/confirm.tsx';
import { Facts } from '../ui/facts.tsx';
import { IdText } from '../ui/id-text.tsx';
import { LinkButton, TextLink } from '../ui/links.tsx';
import { LoadedPage } from '../ui/loaded-page.tsx';
import { Page } from '../ui/page.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SetPassword } from './set-password.tsx';
import { UserState } from './user-state.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';

const route = getRouteApi('/shell/operators/users/$id');

type UserDetail = Operations['getUser']['reply'];
type Change = Operations['updateUser']['input']['body'];

/** One user: roles, accounts, and whether the user may come in. */
export function UserPage() {
  const { id } = route.useParams();
  const query = useQuery({ queryKey: ['users', id], queryFn: ({ signal }) => posthorn.getUser({ id }, { signal }) });
  const above = <TextLink to="/operators/users">Users</TextLink>;
  return (
    <LoadedPage query={query} title="User" above={above}>
      {(data) => <Shown user={data} above={above} />}
    </LoadedPage>
  );
}

function Shown({ user, above }: { user: UserDetail; above: ReactNode }) {
  return (
    <Page
      title={user.name}
      heading={
        <Group gap="sm">
          {user.name}
          <UserState user={user} />
        </Group>
      }
      text={user.email ?? 'Brought in by an import; cannot sign in.'}
      above={above}
      actions={
        <>
          <LinkButton variant="default" to="/operators/changes" search={{ thing: user.id }}>
            Changes to the user
          </LinkButton>
          <LinkButton variant="default" to="/operators/changes" search={{ by: user.id }}>
            By the user
          </LinkButton>
        </>
      }
    >
      <Paper withBorder p="md">
        <Facts
          facts={[
            ['Since', <RelativeTime key="s" at={user.createdAt} />],
            ['Changed', <RelativeTime key="c" at={user.updatedAt} />],
            ['Accounts', <Accounts key="a" accounts={user.accounts} />],
            ['Id', <IdText key="i" id={user.id} what="user id" />],
          ]}
        />
      </Paper>
      <Rights user={user} />
    </Page>
  );
}

function Accounts({ accounts }: { accounts: UserDetail['accounts'] }) {
  if (accounts.length === 0) return 'none';
  return accounts.map(({ id, name }) => (
    <div key={id}>
      <TextLink to="/operators/accounts/$id" params={{ id }}>
        {name}
      </TextLink>
    </div>
  ));
}

const BLOG_ROLES = [
  { value: 'NONE', label: 'None: reads and comments' },
  { value: 'AUTHOR', label: 'Author: own posts' },
  { value: 'EDITOR', label: 'Editor: all posts' },
];

function useChange(user: UserDetail) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Change) => posthorn.updateUser({ id: user.id, body }),
    onSuccess: () => notifyDone('Changed; it acts on the next request of the user.'),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['users'] }),
        // It may have been one's own.
        queries.invalidateQueries({ queryKey: ['me'] }),
      ]),
  });
}

function Rights({ user }: { user: UserDetail }) {
  const change = useChange(user);
  const askOperator = async (operator: boolean): Promise<void> => {
    const isSure = await confirm({
      title: operator ? `Make ${user.name} an operator?` : `Take the operator’s rights from ${user.name}?`,
      text: operator
        ? 'Operators see and manage everything, also the rights of others.'
        : 'It acts on the next request.',
      action: operator ? 'Make an operator' : 'Take them',
    });
    if (isSure) change.mutate({ operator });
  };
  const askDisabled = async (disabled: boolean): Promise<void> => {
    const isSure =
      !disabled ||
      (await confirm({
        title: `Disable ${user.name}?`,
        text: 'All sessions of the user end now, and nobody can sign in as the user until you enable it again.',
        action: 'Disable',
      }));
    if (isSure) change.mutate({ disabled });
  };
  return (
    <Paper withBorder p="md">
      <Stack align="flex-start">
        <Title order={2}>Rights</Title>
        {/* Disabled ones would lose the focus. */}
        <Select
          label="Blog"
          data={BLOG_ROLES}
          value={user.blogRole ?? 'NONE'}
          onChange={(value) => change.mutate({ blogRole: value === 'NONE' ? null : (value as 'AUTHOR' | 'EDITOR') })}
          allowDeselect={false}
          readOnly={change.isPending}
          w={{ base: '100%', xs: 320 }}
        />
        <Switch
          label="Operator"
          description="Sees and manages everything."
          checked={user.operator}
          aria-disabled={change.isPending || undefined}
          onChange={(event) => !change.isPending && void askOperator(event.currentTarget.checked)}
        />
        <Text size="sm">{user.disabled ? 'The user is disabled and cannot sign in.' : 'The user can sign in.'}</Text>
        {user.email !== null && <SetPassword user={user} />}
        <SteadyButton
          variant="light"
          color={user.disabled ? undefined : 'red'}
          isBusy={change.isPending}
          onClick={() => void askDisabled(!user.disabled)}
        >
          {user.disabled ? 'Enable' : 'Disable'}
        </SteadyButton>
      </Stack>
    </Paper>
  );
}
