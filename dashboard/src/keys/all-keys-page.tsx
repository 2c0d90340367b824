import { Button, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Plus } from '../ui/icons.ts';
import { Page } from '../ui/page.tsx';
import { AccountSelect } from '../account/account-select.tsx';
import { CreateKeyModal } from './create-key-modal.tsx';
import { operatorCalls } from './key-calls.ts';
import { KeyList } from './key-list.tsx';

const route = getRouteApi('/shell/operators/keys');

/** The keys of all accounts, or of one, for operators. */
export function AllKeysPage() {
  const { account, page } = route.useSearch();
  const navigate = route.useNavigate();
  const [isOpen, setOpen] = useState(false);
  const calls = operatorCalls(account);
  return (
    <Page
      title="API keys"
      text="Of all accounts: who calls the service, and with what rights."
      actions={
        <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setOpen(true)}>
          New key
        </Button>
      }
    >
      <Group>
        <AccountSelect
          isFilter
          value={account ?? null}
          onChange={(id) => void navigate({ search: { account: id ?? undefined } })}
        />
      </Group>
      <KeyList
        calls={calls}
        page={page}
        onPage={(next) => void navigate({ search: (old) => ({ ...old, page: next }) })}
        ofAccounts
      />
      <CreateKeyModal calls={calls} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}
