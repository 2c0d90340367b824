import { Button, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';
import type { Account } from '../api/session.ts';
import { DialogForm } from '../ui/dialog-form.tsx';
import { FormModal } from '../ui/form-modal.tsx';

/** Gives an account another name. */
export function RenameAccount({ account }: { account: Account }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Rename
      </Button>
      <FormModal opened={isOpen} onClose={dialog.close} title={`Rename ${account.name}`}>
        <NameForm account={account} onClose={dialog.close} />
      </FormModal>
    </>
  );
}

function NameForm({ account: { id, name: present }, onClose }: { account: Account; onClose: () => void }) {
  const [name, setName] = useState(present);
  const queries = useQueryClient();
  const rename = useMutation({
    mutationFn: () => posthorn.updateAccount({ id, body: { name: name.trim() } }),
    meta: { silent: true },
    async onSuccess() {
      // Its name stands in lists of accounts and keys, and maybe among one's own accounts.
      await Promise.all(['accounts', 'keys', 'me'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
      onClose();
    },
  });
  return (
    <DialogForm
      action="Rename"
      isBusy={rename.isPending}
      error={rename.error}
      isDisabled={name.trim() === ''}
      onSubmit={() => rename.mutate()}
      onCancel={onClose}
    >
      <TextInput
        label="Name"
        required
        maxLength={100}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
