import { Button, Group, Text } from '@mantine/core';
import type { User } from '@posthorn/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';
import { given } from '../lib/given.ts';
import { Choice } from '../ui/choice.tsx';
import type { Column } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Plus } from '../ui/icons.ts';
import { TextLink } from '../ui/links.tsx';
import { Page } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { NewUser } from './new-user.tsx';
import { ROLES, type UserSearch } from './operator-search.ts';
import { hasState, UserState } from './user-state.tsx';

const route = getRouteApi('/shell/operators/users');

const COLUMNS: readonly Column<User>[] = [
  {
    header: 'User',
    grow: true,
    cell: ({ id, name, email }) => (
      <>
        <TextLink to="/operators/users/$id" params={{ id }}>
          {name}
        </TextLink>
        <Text size="xs" c="dimmed">
          {email ?? 'cannot sign in: brought in by an import'}
        </Text>
      </>
    ),
  },
  { header: 'Roles', cell: (user) => hasState(user) && <UserState user={user} /> },
  { header: 'Since', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
];

const roleFilter = (role: UserSearch['role']) => {
  if (role === undefined) return {};
  return role === 'OPERATOR' ? { operator: true } : { blogRole: role };
};

/** Everybody who can sign in, and the authors that an import brought along. */
export function UsersPage() {
  const { q, role, page } = route.useSearch();
  const navigate = route.useNavigate();
  const [isOpen, setOpen] = useState(false);
  const filter = { ...given({ q, page: page ?? 1 }), ...roleFilter(role) };
  const query = useQuery({
    queryKey: ['users', 'list', filter],
    queryFn: ({ signal }) => posthorn.listUsers(filter, { signal }),
  });
  return (
    <Page
      title="Users"
      text="Readers, writers, members of accounts, operators."
      actions={
        <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setOpen(true)}>
          New user
        </Button>
      }
    >
      <Group gap="xs" align="flex-end">
        <SearchBox
          label="Search by name or e-mail"
          value={q}
          onSearch={(next) => void navigate({ search: (old) => ({ ...old, q: next, page: undefined }), replace: true })}
        />
        <Choice
          label="Role"
          data={ROLES}
          value={role}
          onChange={(next) => void navigate({ search: (old) => ({ ...old, role: next, page: undefined }) })}
        />
      </Group>
      <PagedList
        label="Users"
        columns={COLUMNS}
        query={query}
        rowKey={({ id }) => id}
        onPage={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
        empty={<EmptyState title="Nobody fits" text="Try another part of the name, or clear the role." />}
      />
      <NewUser isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}
