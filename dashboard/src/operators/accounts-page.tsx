import { Alert, Badge, Button, Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';
import type { Account } from '../api/session.ts';
import { given } from '../lib/given.ts';
import { Choice } from '../ui/choice.tsx';
import type { Column } from '../ui/data-table.tsx';
import { DialogForm } from '../ui/dialog-form.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Plus } from '../ui/icons.ts';
import { LinkButton, TextLink } from '../ui/links.tsx';
import { Page } from '../ui/page.tsx';
import { PagedList } from '../ui/paged-list.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { ACCOUNT_TYPES, type AccountType } from './operator-search.ts';
import { FormModal } from '../ui/form-modal.tsx';

const route = getRouteApi('/shell/operators/accounts');

const COLUMNS: readonly Column<Account>[] = [
  {
    header: 'Account',
    grow: true,
    cell: ({ id, name }) => (
      <TextLink to="/operators/accounts/$id" params={{ id }}>
        {name}
      </TextLink>
    ),
  },
  { header: 'Type', cell: ({ type }) => <Badge variant="default">{type.toLowerCase()}</Badge> },
  {
    header: 'Look into it',
    cell: ({ id, name }) => (
      <LinkButton
        size="xs"
        variant="default"
        to="/a/$accountId/overview"
        params={{ accountId: id }}
        aria-label={`Overview of ${name}`}
      >
        Overview
      </LinkButton>
    ),
  },
];

/** Merchants, businesses, sites and platforms. */
export function AccountsPage() {
  const { q, type, page } = route.useSearch();
  const navigate = route.useNavigate();
  const [isOpen, setOpen] = useState(false);
  const filter = given({ q, type, page: page ?? 1 });
  const query = useQuery({
    queryKey: ['accounts', 'list', filter],
    queryFn: ({ signal }) => posthorn.listAccounts(filter, { signal }),
  });
  return (
    <Page
      title="Accounts"
      text="Merchants, businesses, sites and platforms that call the service or receive from it."
      actions={
        <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setOpen(true)}>
          New account
        </Button>
      }
    >
      <Group gap="xs" align="flex-end">
        <SearchBox
          label="Search by name"
          value={q}
          onSearch={(next) => void navigate({ search: (old) => ({ ...old, q: next, page: undefined }), replace: true })}
        />
        <Choice
          label="Type"
          data={ACCOUNT_TYPES}
          value={type}
          onChange={(next) => void navigate({ search: (old) => ({ ...old, type: next, page: undefined }) })}
        />
      </Group>
      <PagedList
        label="Accounts"
        columns={COLUMNS}
        query={query}
        rowKey={({ id }) => id}
        onPage={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
        empty={<EmptyState title="No account fits" text="Try another name, or create the account." />}
      />
      <NewAccount isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}

function NewAccount({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <FormModal opened={isOpen} onClose={onClose} title="New account">
      <AccountForm onCancel={onClose} />
    </FormModal>
  );
}

/** Another account of this name. */
async function namesakeOf(name: string): Promise<Account | undefined> {
  const { data } = await posthorn.listAccounts({ q: name, limit: 100 });
  return data.find((account) => account.name.toLowerCase() === name.toLowerCase());
}

function AccountForm({ onCancel }: { onCancel: () => void }) {
  const [name, setName] = useState('');
  const [type, setType] = useState<AccountType>('MERCHANT');
  const [namesake, setNamesake] = useState<Account>();
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const create = useMutation({
    /** Null: another account has the name, which is told first. */
    async mutationFn(): Promise<Account | null> {
      const wanted = name.trim();
      const found = namesake ? undefined : await namesakeOf(wanted);
      if (found) setNamesake(found);
      return found ? null : posthorn.createAccount({ body: { name: wanted, type } });
    },
    meta: { silent: true },
    async onSuccess(made) {
      if (made === null) return;
      const { id } = made;
      await queries.invalidateQueries({ queryKey: ['accounts'] });
      await navigate({ to: '/operators/accounts/$id', params: { id } });
    },
  });
  return (
    <DialogForm
      action={namesake ? 'Create another' : 'Create'}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
      onCancel={onCancel}
    >
      <TextInput
        label="Name"
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value);
          setNamesake(undefined);
        }}
      />
      {namesake && (
        <Alert color="yellow" title="An account has this name already" role="alert">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {namesake.name}, {namesake.type.toLowerCase()}, {namesake.id}. Two accounts may have one name; they are told
            apart by their ids.
          </Text>
        </Alert>
      )}
      <div>
        <Text size="sm" fw={500} mb={4}>
          Type, which never changes
        </Text>
        <SegmentedControl
          fullWidth
          aria-label="Type"
          value={type}
          onChange={(value) => setType(value)}
          data={ACCOUNT_TYPES.map((value) => ({ value, label: value.toLowerCase() }))}
        />
      </div>
    </DialogForm>
  );
}
