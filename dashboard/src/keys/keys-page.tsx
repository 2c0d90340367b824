import { Button } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useScope } from '../account/scope.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Plus } from '../ui/icons.ts';
import { Page } from '../ui/page.tsx';
import { CreateKeyModal } from './create-key-modal.tsx';
import { memberCalls } from './key-calls.ts';
import { KeyList } from './key-list.tsx';

const route = getRouteApi('/shell/a/$accountId/keys');

/** API keys and signing secrets of one account, for its members. */
export function KeysPage() {
  const { page } = route.useSearch();
  const navigate = route.useNavigate();
  const { accountId } = useScope();
  const [isOpen, setOpen] = useState(false);
  if (accountId === undefined) {
    return (
      <Page title="API keys">
        <EmptyState
          title="Keys belong to an account"
          text="Choose an account, or look at the keys of all for operators."
        />
      </Page>
    );
  }
  const calls = memberCalls(accountId);
  return (
    <Page
      title="API keys"
      text="For your systems: a key to call the service, and with it a secret that signs what is sent to you."
      actions={
        <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setOpen(true)}>
          New key
        </Button>
      }
    >
      <KeyList calls={calls} page={page} onPage={(next) => void navigate({ search: { page: next } })} />
      <CreateKeyModal calls={calls} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}
