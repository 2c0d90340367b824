import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import { DialogForm } from '../ui/dialog-form.tsx';
import { NewPassword } from '../ui/new-password.tsx';
import { FormModal } from '../ui/form-modal.tsx';

/** For an operator: a new password for a user, who may have forgotten the old one. */
export function SetPassword({ user }: { user: { id: string; name: string } }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Set a new password
      </Button>
      <FormModal opened={isOpen} onClose={dialog.close} title={`New password for ${user.name}`}>
        <PasswordForm userId={user.id} onClose={dialog.close} />
      </FormModal>
    </>
  );
}

function PasswordForm({ userId, onClose }: { userId: string; onClose: () => void }) {
  const [password, setPassword] = useState('');
  const save = useMutation({
    mutationFn: () => posthorn.updateUser({ id: userId, body: { password } }),
    meta: { silent: true },
    onSuccess() {
      notifyDone('The new password is set.');
      onClose();
    },
  });
  return (
    <DialogForm
      action="Set the password"
      isBusy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate()}
      onCancel={onClose}
    >
      <NewPassword
        label="New password"
        description="At least 8 characters. All sessions of the user end; tell it to the user, who changes it under Password."
        data-autofocus
        value={password}
        onChange={setPassword}
      />
    </DialogForm>
  );
}
