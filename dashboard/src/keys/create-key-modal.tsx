import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm } from '../ui/dialog-form.tsx';
import { AccountSelect } from '../account/account-select.tsx';
import { type KeyCalls, type Scope, SCOPE_TEXTS } from './key-calls.ts';
import { KeyModal } from './key-modal.tsx';

interface CreateKeyModalProps {
  calls: KeyCalls;
  isOpen: boolean;
  onClose: () => void;
}

/** Makes a key, and shows it once. */
export function CreateKeyModal({ calls, isOpen, onClose }: CreateKeyModalProps) {
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (input: KeyInput) => calls.create(input.accountId, input.name, input.scopes),
    meta: { silent: true },
    // A secret stays no longer than it is looked at.
    gcTime: 0,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  const close = (): void => {
    create.reset();
    onClose();
  };
  return (
    <KeyModal isOpen={isOpen} onClose={close} title="New API key" isBusy={create.isPending} issued={create.data}>
      <KeyForm calls={calls} error={create.error} isBusy={create.isPending} onCreate={create.mutate} onCancel={close} />
    </KeyModal>
  );
}

interface KeyInput {
  accountId: string;
  name: string;
  scopes: Scope[];
}

interface KeyFormProps {
  calls: KeyCalls;
  error: unknown;
  isBusy: boolean;
  onCreate: (input: KeyInput) => void;
  onCancel: () => void;
}

function KeyForm({ calls, error, isBusy, onCreate, onCancel }: KeyFormProps) {
  const [accountId, setAccountId] = useState(calls.accountId ?? null);
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<Scope[]>(['webhooks:manage']);
  const submit = (): void => {
    if (accountId !== null) onCreate({ accountId, name: name.trim(), scopes });
  };
  return (
    <DialogForm
      action="Create"
      isBusy={isBusy}
      error={error}
      isDisabled={scopes.length === 0 || accountId === null}
      onSubmit={submit}
      onCancel={onCancel}
    >
      {calls.accountId === undefined && <AccountSelect value={accountId} onChange={setAccountId} />}
      <TextInput
        label="Name"
        description="What uses it: you will want to know when you rotate it."
        placeholder="shop backend"
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox.Group label="It may" value={scopes} onChange={(next) => setScopes(next)} required>
        <Stack gap="xs" mt="xs">
          {calls.scopes.map((scope) => (
            <Checkbox key={scope} value={scope} label={scope} description={SCOPE_TEXTS[scope]} />
          ))}
        </Stack>
      </Checkbox.Group>
    </DialogForm>
  );
}
